import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { curl } from "./testing/clients.js";
import { AUTHORITY, openDoor, startUpstream } from "./testing/lab.js";

const URL_OF = `https://${AUTHORITY.host}`;

describe("real clients reach a terminated authority", () => {
  for (const [name, flag, h2] of [
    ["HTTP/1.1", "--http1.1", true],
    ["HTTP/2", "--http2", true],
    ["HTTP/1.1 where the upstream knows no other", "--http2", false],
  ] as const) {
    test(`curl over ${name}`, async (t) => {
      const upstream = await startUpstream(t, { h2 });
      const door = await openDoor(t, { upstream });
      const ran = await curl(t, door, flag, `${URL_OF}/a?b=c`);
      assert.deepEqual(ran, {
        code: 0,
        stdout: `hello over ${flag === "--http2" && h2 ? "2.0" : "1.1"}\n`,
        stderr: "",
      });
      assert.equal(upstream.seen[0]?.url, "/a?b=c");
      const [outcome] = await door.ended(1);
      assert.equal(outcome?.reason, "CLOSED");
      assert.equal(outcome.admitted, 1);
    });
  }
});
