# Never ends, and ignores every signal that only asks. Control: ends.
trap '' HUP INT TERM QUIT
case $1 in hostile) while :; do sleep 1; done ;; esac
echo done
