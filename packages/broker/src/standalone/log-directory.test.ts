import assert from "node:assert/strict";
import { copyFileSync, renameSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { signingKeyFromSeed } from "@drydock/evidence";
import { temporaryDirectory } from "@drydock/testkit";
import { DEFAULT_LIMITS } from "../policy/index.js";
import { openLogDirectory } from "./log-directory.js";

const FILES = ["logs/egress.jsonl", "logs/egress.checkpoint"];

for (const file of FILES)
  for (const [what, damage] of [
    ["removed", (path: string) => unlinkSync(path)],
    ["moved", (path: string) => renameSync(path, `${path}.old`)],
    [
      "replaced by a copy",
      (path: string) => {
        renameSync(path, `${path}.old`);
        copyFileSync(`${path}.old`, path);
      },
    ],
  ] as const)
    test(`a log whose ${file} is ${what} stops at its next signature`, (t) => {
      const path = join(temporaryDirectory(t), "log");
      const log = openLogDirectory({
        path,
        run: "one",
        policy: {
          grants: [],
          resolvers: [],
          limits: DEFAULT_LIMITS,
          digest: `sha256:${"0".repeat(64)}`,
        },
        key: signingKeyFromSeed(Buffer.alloc(32, 1)),
        clock: { source: "test", wall: () => "2026-11-30T00:00:00.000Z", monotonicUs: () => 0 },
        nonce: Buffer.alloc(8, 1),
        later: setImmediate,
      });
      t.after(() => log.end(false));
      log.checkpoint();
      damage(join(path, file));
      assert.throws(() => log.checkpoint(), { code: "LOG_GONE", fix: /new directory/ });
    });
