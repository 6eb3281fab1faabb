# Writes more than the disk holds. Control: less.
case $1 in hostile) mebibytes=4096 ;; *) mebibytes=8 ;; esac
dd if=/dev/zero of=/tmp/fill bs=1M count=$mebibytes 2>/dev/null && echo written || echo full
rm /tmp/fill
echo again >/tmp/small && cat /tmp/small
