import assert from "node:assert/strict";
import { test } from "node:test";
import { resolveHome } from "./home.js";

test("DRYDOCK_HOME holds state and cache", () => {
  assert.deepEqual(resolveHome({ DRYDOCK_HOME: "/srv/dd", XDG_STATE_HOME: "/x" }), {
    state: "/srv/dd",
    cache: "/srv/dd/cache",
  });
});

test("without it the XDG directories decide, and a relative one is ignored", () => {
  assert.deepEqual(resolveHome({ HOME: "/home/u", XDG_STATE_HOME: "/x", XDG_CACHE_HOME: "rel" }), {
    state: "/x/drydock",
    cache: "/home/u/.cache/drydock",
  });
});

test("a relative DRYDOCK_HOME is refused with what to do", () => {
  assert.throws(() => resolveHome({ DRYDOCK_HOME: "dd" }), { code: "HOME_RELATIVE" });
});
