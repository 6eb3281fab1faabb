import assert from "node:assert/strict";
import { existsSync, statSync } from "node:fs";
import { test } from "node:test";
import { deviceNumber, diskOf } from "./disk.js";

test("a device number is taken apart as makedev(3) puts it together", () => {
  assert.equal(deviceNumber(0xfe00n), "254:0");
  assert.equal(deviceNumber(0x801n), "8:1");
  // 259:1048575 and 4095:5, beyond the first eight and twelve bits.
  assert.equal(deviceNumber((259n << 8n) | 0xffn | (0xfff00n << 12n)), "259:1048575");
});

test("a file system in memory has no disk; one on a disk names a disk, not a partition", () => {
  assert.equal(diskOf("/proc"), null);
  const disk = diskOf("/");
  if (disk !== null) {
    assert.match(disk, /^\d+:\d+$/);
    assert.equal(existsSync(`/sys/dev/block/${disk}/partition`), false);
  } else {
    assert.equal(
      existsSync(`/sys/dev/block/${deviceNumber(statSync("/", { bigint: true }).dev)}`),
      false,
    );
  }
});
