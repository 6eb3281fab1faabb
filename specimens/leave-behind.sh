# Leaves processes that hold its output open: a child, one in a session of its own, an orphan of an
# orphan that ignores signals. Control: leaves none.
case $1 in
hostile)
  sleep 600 &
  setsid sleep 600 &
  (trap '' HUP INT TERM; (while :; do sleep 600; done) &)
  ;;
esac
echo parent ends
exit 3
