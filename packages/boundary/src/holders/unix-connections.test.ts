import assert from "node:assert/strict";
import { test } from "node:test";
import { isEnginesContainerd } from "./is-engines-containerd.js";
import { parseUnixConnections } from "./unix-connections.js";

const LISTING = `
u_str LISTEN 0      4096   /run/c.sock 20 * 0
u_str ESTAB  0      0      /run/c.sock 21 * 11
u_str ESTAB  0      0                * 11 * 21
u_str ESTAB  0      0      /run/c.sock.ttrpc 22 * 31
u_str ESTAB  0      0                * 31 * 22
u_dgr UNCONN 0      0           @8da6a 40 * 0
`;

const ENGINE = new Set([10, 11]);
const CONTAINERD = new Set([20, 21, 22]);

const isOwn = (listing: string) =>
  isEnginesContainerd(CONTAINERD, ENGINE, parseUnixConnections(listing));

test("both ends of a connection are read, and nothing that isn't one", () => {
  assert.deepEqual(parseUnixConnections(LISTING), [
    { inode: 21, peer: 11, acceptedOn: "/run/c.sock" },
    { inode: 11, peer: 21, acceptedOn: null },
    { inode: 22, peer: 31, acceptedOn: "/run/c.sock.ttrpc" },
    { inode: 31, peer: 22, acceptedOn: null },
  ]);
});

test("a path can't say who is connected", () => {
  const [connection] = parseUnixConnections("u_str ESTAB 0 0 /run/a 21 * 11 b.sock 77 * 78");
  assert.deepEqual(connection, { inode: 77, peer: 78, acceptedOn: "/run/a 21 * 11 b.sock" });
});

test("it is the engine's when the engine is its only client on that socket", () => {
  assert.equal(isOwn(LISTING), true);
  assert.equal(isOwn(LISTING.replaceAll("* 11", "* 12")), false);
  assert.equal(isOwn(`${LISTING}u_str ESTAB 0 0 /run/c.sock 20 * 50\n`), false);
  // Another program's socket of the same path, as after a restart.
  assert.equal(isOwn(`${LISTING}u_str ESTAB 0 0 /run/c.sock 60 * 50\n`), true);
  assert.equal(isOwn(""), false);
});

test("being asked by a containerd isn't being its client", () => {
  const asked = "u_str ESTAB 0 0 /run/engine.sock 11 * 21\nu_str ESTAB 0 0 * 21 * 11\n";
  assert.equal(isOwn(asked), false);
});
