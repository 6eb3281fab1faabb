# Kills everything in the guest, the agent too. Control: the same calls with signal 0.
case $1 in hostile) signal=9 ;; *) signal=0 ;; esac
for directory in /proc/[0-9]*; do
  pid=${directory#/proc/}
  [ "$pid" = $$ ] || kill -$signal "$pid" 2>/dev/null
done
# Reached by whoever left the agent alive; the hostile one waits for what it has done.
[ $signal = 0 ] || sleep 600
echo survived
