import assert from "node:assert/strict";
import { chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "@drydock/testkit";
import { CONTROLLER_UID } from "@drydock/vm";
import { layoutOf } from "../home/index.js";
import { refuseForeign } from "./refuse-foreign.js";

const refuse = (state: string): void => refuseForeign(state, layoutOf(state));

test("a directory with somebody's files is not taken over; a new, an empty and its own one are", (t) => {
  const base = temporaryDirectory(t);
  const at = (name: string, ...entries: readonly string[]): string => {
    const state = join(base, name);
    mkdirSync(state);
    for (const entry of entries) mkdirSync(join(state, entry));
    return state;
  };
  refuse(join(base, "new"));
  refuse(at("empty"));
  refuse(at("own", "cache", "keys", "runs", "journal", "halt", "ledger.sqlite-wal"));
  assert.throws(() => refuse(at("foreign", "keys", "photos")), {
    code: "STATE_FOREIGN",
    message: /photos/,
    fix: /DRYDOCK_HOME/,
  });
  writeFileSync(join(base, "file"), "");
  assert.throws(() => refuse(join(base, "file")), { code: "STATE_FOREIGN" });
  assert.throws(() => refuse("/etc"), { code: "STATE_FOREIGN" });

  const later = at("later", "photos");
  chownSync(later, CONTROLLER_UID, CONTROLLER_UID);
  refuse(later);
});
