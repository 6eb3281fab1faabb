#!/bin/bash
# The example appliance inside a Drydock guest, as its root: an engine in the guest's own network
# namespace, the boundary around its containers, who reaches whom, and a rule that somebody deletes.
# Whatever is to be looked at outside is left in out/.
set -euo pipefail
cd "$(dirname "$0")"
export DRYDOCK_HOME=/var/lib/drydock
socket=/run/engine.sock

say() { printf '\nguest %4ss: %s\n' "$SECONDS" "$*"; }
drydock() { node drydock/bundle/drydock.cjs "$@"; }
docker_() { docker -H "unix://$socket" "$@"; }

say "an engine of the guest's own, on $(uname -r)"
# Layers can't lie on the root, which is an overlay itself.
mkdir -p /mnt out
mount -t tmpfs -o mode=0755 engine /mnt
mount -t cgroup2 cgroup /sys/fs/cgroup
sysctl -q -w net.ipv4.ip_forward=1
# By itself, since an engine that starts it gives it fifteen seconds, which an emulated one may miss.
# Without the service for Kubernetes, which listens on TCP.
echo 'disabled_plugins = ["io.containerd.grpc.v1.cri"]' >/run/containerd.toml
containerd --config /run/containerd.toml --root /mnt/containerd --state /run/containerd --address /run/containerd.sock \
  >out/containerd.log 2>&1 &
containerd=$!
for _ in $(seq 600); do
  grep -q 'containerd successfully booted' out/containerd.log && break
  kill -0 "$containerd" 2>/dev/null || {
    tail -n 5 out/containerd.log >&2
    exit 1
  }
  sleep 0.5
done
dockerd --containerd /run/containerd.sock --data-root /mnt/data --exec-root /run/docker --pidfile /run/engine.pid \
  --host "unix://$socket" --bridge none --iptables=false --ip6tables=false >out/engine.log 2>&1 &
engine=$!
for _ in $(seq 600); do
  docker_ version >/dev/null 2>&1 && break
  kill -0 "$engine" 2>/dev/null || {
    tail -n 5 out/engine.log >&2
    exit 1
  }
  sleep 0.5
done
docker_ load -i image.tar
ip netns attach appliance "$engine"

appliance=(--namespace /run/netns/appliance --docker-socket "$socket" --owner example)
released=(--policy policy.yaml --release manifest.json --signature manifest.sig.json --key owner.pem)
wanted=(plan.yaml --platform platform.json "${released[@]}" --binding out/binding.json)

say "drydock boundary apply"
drydock boundary apply "${wanted[@]}" "${appliance[@]}" --evidence out/boundary
cp "$DRYDOCK_HOME/keys/trust.json" out/trust.json

say "who may open what: predicted from plan and policy"
drydock boundary compile plan.yaml --policy policy.yaml --platform platform.json --table |
  tee out/table.txt

# Whether somebody answers a TCP connection from inside of a machine.
answers() { docker_ exec "example-$1" /bin/nc -w 10 "$2" "$3" </dev/null 2>/dev/null; }
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
  printf '%-34s %s\n' "$from -> $to tcp/$port" "$found" | tee -a out/tried.txt
  [ "$found" = "$expected" ] || {
    echo "that should be: $expected" >&2
    exit 1
  }
}
say "and tried: the attacker reaches the web server, and not the database behind it"
listen web 80
listen database 5432
try passes web database 10.60.2.10 5432
try passes attacker web 10.60.2.8 80
try blocked attacker database 10.60.2.10 5432
try blocked database web 10.60.2.8 80

say "somebody deletes one rule by hand"
read -r family table chain rule < <(nft -a list ruleset | awk '
  $1 == "table" { table = $2 " " $3 }
  $1 == "chain" { chain = $2 }
  /calls-nobody/ && !done { sub(/.*# handle /, ""); print table, chain, $0; done = 1 }')
nft delete rule "$family" "$table" "$chain" handle "$rule"

say "drydock boundary observe: the rule has a name"
status=0
drydock boundary observe plan.yaml --platform platform.json "${released[@]}" "${appliance[@]}" \
  >out/observed.txt || status=$?
cat out/observed.txt
if [ "$status" -ne 1 ] || ! grep -q calls-nobody out/observed.txt; then
  echo "a rule is gone, and nobody names it" >&2
  exit 1
fi

say "drydock boundary clear"
drydock boundary clear "${appliance[@]}"
kill "$engine" && wait "$engine" || true
kill "$containerd" && wait "$containerd" || true
# Whoever collects artifacts isn't the controller whose directories these are.
chmod -R a+rX out
