#!/bin/bash
# The example appliance inside a Drydock guest, as its root: an engine in the guest's own network
# namespace, the boundary around its containers, who reaches whom, and a rule that somebody deletes
# and the gate names. Whatever is to be looked at outside is left in out/.
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
# Without the service for Kubernetes, which listens on TCP, where nobody signed that anybody may.
printf 'version = 2\ndisabled_plugins = ["io.containerd.grpc.v1.cri"]\n' >/run/containerd.toml
# An engine that starts its containerd gives it fifteen seconds, which an emulated one may miss. So it
# is started first, by the process that then becomes the engine: it is the engine's own all the same,
# and to the gate no other one.
be_the_engine() {
  containerd --config /run/containerd.toml --root /mnt/containerd --state /run/containerd \
    --address /run/containerd.sock >out/containerd.log 2>&1 &
  echo $! >/run/containerd.pid
  for _ in $(seq 600); do
    grep -q 'containerd successfully booted' out/containerd.log && break
    kill -0 $! || exit 1
    sleep 0.5
  done
  exec dockerd --containerd /run/containerd.sock --data-root /mnt/data --exec-root /run/docker \
    --pidfile /run/engine.pid --host "unix://$socket" --bridge none --iptables=false --ip6tables=false
}
be_the_engine >out/engine.log 2>&1 &
engine=$!
for _ in $(seq 600); do
  docker_ version >/dev/null 2>&1 && break
  kill -0 "$engine" 2>/dev/null || {
    tail -n 5 out/containerd.log out/engine.log >&2
    exit 1
  }
  sleep 0.5
done
docker_ load -i image.tar
ip netns attach appliance "$engine"
nft_() { nft "$@"; }
# An emulated machine answers late.
patience=10
. ./by-hand.sh

appliance=(--namespace /run/netns/appliance --docker-socket "$socket" --owner example)
released=(--policy policy.yaml --release manifest.json --signature manifest.sig.json --key owner.pem)
wanted=(plan.yaml --platform platform.json "${released[@]}" --binding out/binding.json)

say "drydock boundary apply"
drydock boundary apply "${wanted[@]}" "${appliance[@]}" --evidence out/boundary
cp "$DRYDOCK_HOME/keys/trust.json" out/trust.json

say "who may open what: predicted from plan and policy"
drydock boundary compile plan.yaml --policy policy.yaml --platform platform.json --table |
  tee out/table.txt

say "and tried: the attacker reaches the web server, and not the database behind it"
try_flows | tee out/tried.txt

# Nobody outside can look at a machine without a network device. So the look is this guest's word, as
# is all that is said in here: the key that signs it was made in here.
node -e 'const { privateKey, publicKey } = crypto.generateKeyPairSync("ed25519");
  fs.writeFileSync("/run/observer.key", privateKey.export({ format: "pem", type: "pkcs8" }), { mode: 0o600 });
  fs.writeFileSync("out/observer.pem", publicKey.export({ format: "pem", type: "spki" }));'
gate() {
  drydock boundary observe-host "${released[@]}" --namespace /run/netns/appliance \
    --binding out/binding.json --observer-key /run/observer.key --output out/host.json
  drydock boundary gate "${wanted[@]}" "${appliance[@]}" --phase start \
    --host-observation out/host.json --host-key out/observer.pem --evidence "$1"
}

say "drydock boundary gate: may it start?"
gate out/gate-open

say "somebody deletes one rule by hand"
delete_rule

say "drydock boundary gate: the rule has a name"
status=0
gate out/gate-shut >out/found.txt || status=$?
cat out/found.txt
if [ "$status" -ne 1 ] || ! grep -q 'readback-difference.*calls-nobody' out/found.txt; then
  echo "a rule is gone, and the gate doesn't name it" >&2
  exit 1
fi

say "drydock boundary clear"
drydock boundary clear "${appliance[@]}" "${released[@]}"
say "what is left"
[ -z "$(docker_ ps --all --quiet)$(nft list tables)" ]
echo nothing
kill "$engine" && wait "$engine" || true
kill "$(cat /run/containerd.pid)" || true
# Whoever collects artifacts isn't the controller whose directories these are.
chmod -R a+rX out
