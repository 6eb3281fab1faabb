import assert from "node:assert/strict";
import { test } from "node:test";
import { socketsIn } from "./engine-sockets.js";

const LISTING = `u_str LISTEN 0      4096   /run/containerd/s/6302058b 17926364            * 0    users:(("containerd-shim",pid=28038,fd=11))
u_str LISTEN 0      4096   /srv/an appliance/engine.sock 17922390            * 0    users:(("systemd",pid=1,fd=9),("dockerd",pid=27330,fd=7))
u_str LISTEN 0      4096   /srv/exec/containerd/containerd.sock 17922452            * 0    users:(("containerd",pid=27368,fd=10))
u_str LISTEN 0      4096   @abstract 17922453            * 0    users:(("dockerd",pid=27330,fd=8))
u_str LISTEN 0      4096   /run/other.sock 17922454            * 0    users:(("socat",pid=7,fd=8))
u_str LISTEN 0      4096   /run/nobody.sock 17922455            * 0
`;

test("sockets are an engine's or its helpers', and nobody else's", () => {
  assert.deepEqual(socketsIn(LISTING), [
    "/run/containerd/s/6302058b",
    "/srv/an appliance/engine.sock",
    "/srv/exec/containerd/containerd.sock",
  ]);
  assert.deepEqual(socketsIn(""), []);
});
