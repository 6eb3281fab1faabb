# Writes megabytes to the serial console, past everything that would hold it back. Control: a line.
mknod /dev/flood c 4 64
case $1 in
hostile) yes console-flood-console-flood | head -c 400000 >/dev/flood ;;
*) echo console-drop >/dev/flood ;;
esac
echo written
