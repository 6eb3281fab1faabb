import assert from "node:assert/strict";
import { test } from "node:test";
import { enginesOn, namesFiles } from "./engine-process.js";

const listing = (name: string, inode = 1614098): string => `
u_str LISTEN 0 1 /run/other.sock 8303821 * 0 users:(("dockerd",pid=7,fd=3)) <-> ino:99 dev:0/65024 peers:
u_str LISTEN 0 1 /run/engine.sock 8303822 * 0 users:(("systemd",pid=1,fd=9),("${name}",pid=10975,fd=32)) <-> ino:${inode} dev:0/65024 peers:
`;

test("the engine of a socket is who listens on that very file", () => {
  assert.deepEqual(enginesOn(listing("dockerd"), 1614098), [
    { pid: 10975, path: "/run/engine.sock" },
  ]);
  assert.deepEqual(enginesOn(listing("dockerd"), 99), [{ pid: 7, path: "/run/other.sock" }]);
});

test("somebody else who listens there isn't an engine, and no file is nobody's", () => {
  assert.deepEqual(enginesOn(listing("socat"), 1614098), []);
  assert.deepEqual(enginesOn(listing("dockerd", 161409), 1614098), []);
  assert.deepEqual(enginesOn(listing("dockerd"), null), []);
  assert.deepEqual(enginesOn("", null), []);
});

test("a listing that knows no files at all is told from one in which nobody listens", () => {
  const withoutDiag = listing("dockerd").replaceAll(/ <-> ino:.*/g, " <-> ");
  assert.equal(namesFiles(withoutDiag), false);
  assert.deepEqual(enginesOn(withoutDiag, 1614098), []);
  assert.equal(namesFiles(listing("dockerd")), true);
  assert.equal(namesFiles(""), true);
  assert.equal(namesFiles("u_str LISTEN 0 1 @abstract 8303821 * 0 <-> \n"), true);
});
