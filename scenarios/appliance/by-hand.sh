# What is done by hand to the example appliance that was applied, here or inside a guest: flows are
# tried from its machines, and one rule is deleted. Sourced. Needs `docker_` and `nft_`, which ask its
# engine and its namespace, and `patience`, the seconds after which silence means blocked.

# Whether somebody answers a TCP connection from inside of a machine.
answers() { docker_ exec "example-$1" /bin/nc -w "$patience" "$2" "$3" </dev/null 2>/dev/null; }

# A listener counts when it has answered its own machine: else "blocked" could mean "not there".
listen() {
  docker_ exec -d "example-$1" /bin/nc -ll -p "$2" -e /bin/true
  for _ in $(seq 50); do
    answers "$1" 127.0.0.1 "$2" && return
    sleep 0.5
  done
  echo "nobody listens on $1 $2" >&2
  exit 1
}

try() {
  local expected="$1" from="$2" to="$3" address="$4" port="$5" found=blocked
  answers "$from" "$address" "$port" && found=passes
  printf '%-34s %s\n' "$from -> $to tcp/$port" "$found"
  [ "$found" = "$expected" ] || {
    echo "that should be: $expected" >&2
    exit 1
  }
}

# The attacker reaches the web server, and not the database behind it.
try_flows() {
  listen web 80
  listen database 5432
  try passes web database 10.60.2.10 5432
  try passes attacker web 10.60.2.8 80
  try blocked attacker database 10.60.2.10 5432
  try blocked database web 10.60.2.8 80
}

# Of the rules of a machine that may call nobody, which bear its name, the first.
delete_rule() {
  local family table chain handle
  read -r family table chain handle < <(nft_ -a list ruleset | awk '
    $1 == "table" { table = $2 " " $3 }
    $1 == "chain" { chain = $2 }
    /calls-nobody/ && !done { sub(/.*# handle /, ""); print table, chain, $0; done = 1 }')
  nft_ delete rule "$family" "$table" "$chain" handle "$handle"
}
