# Says nothing for longer than the idle bound. Control: as long, with a word now and then.
turn=0
while [ $turn -lt 12 ]; do
  sleep 0.5
  [ "$1" = hostile ] || echo tick
  turn=$((turn + 1))
done
