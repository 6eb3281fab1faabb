# Restarts the machine behind everybody's back. Control: syncs its disks the same way.
case $1 in hostile) request=b ;; *) request=s ;; esac
mount -t proc proc /tmp 2>/dev/null
echo $request >/tmp/sysrq-trigger
[ $request = s ] || sleep 600
echo still here
