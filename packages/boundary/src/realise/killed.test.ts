import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { createKernelBackend } from "../kernel/index.js";
import { openNamespace, permitChanges } from "../nft/index.js";
import { startEngineLab } from "../testing/engine-lab.js";
import { aimAt, applyBoundary, isProven, proveBoundary } from "./index.js";
import { ALLOWED, CALLER, reached, untilReached } from "./testing/callers.js";
import { wantedOf } from "./testing/lab-wanted.js";
import type { Death } from "./testing/mortal.js";
import type { MortalTask } from "./testing/mortal-helper.js";
import { addSomebodyElse, SOMEBODY_ELSES_TABLE } from "./testing/somebody-else.js";

const OWNER = "dd-killed";
const HELPER = fileURLToPath(new URL("./testing/mortal-helper.js", import.meta.url));
/** Each helper dies within so many changes; a whole apply has some forty-five. */
const WITHIN_CALLS = profile.name === "soak" ? 2 : 9;
const ROUNDS = Math.ceil(profile.kills / 25);
const MAX_DEATHS = 200;

const deaths = fc.sample<Death>(
  fc.record({
    call: fc.integer({ min: 1, max: WITHIN_CALLS }),
    when: fc.constantFrom("before", "during", "after"),
    delayMs: fc.nat(300),
  }),
  { seed: profile.seed, numRuns: MAX_DEATHS * ROUNDS },
);
/** What a helper meets that comes while the engine is still doing what its dead one asked for. */
const MEETS = ["killed", "refused ENGINE_REFUSED", "refused NAMESPACE_BUSY"];

const runHelper = async (task: MortalTask): Promise<string> => {
  const child = spawn(process.execPath, [HELPER, JSON.stringify(task)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const [, signal] = await new Promise<[number | null, string | null]>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, by) => resolve([code, by]));
  });
  return signal === "SIGKILL" ? "killed" : said;
};

test("a helper that is killed at any step leaves everything denied, and the next one goes on", async (t) => {
  const lab = await startEngineLab(t);
  using opened = openNamespace({ kind: "netns", path: lab.namespace });
  const namespace = permitChanges(opened, { allowHostNetwork: false });
  const kernel = createKernelBackend(namespace);
  const { image, socket } = lab;
  const given = { owner: OWNER, image, command: CALLER };
  const aim = await aimAt(wantedOf(given), kernel);
  const apply = () => applyBoundary(aim, { engine: lab.backend, kernel, onStage: () => undefined });
  // Somebody who would answer on the host: for each connection it starts a program, and one whose
  // caller is forgotten outlives it. So it writes to no pipe of ours, and ends with its whole group.
  const host = spawn(
    "nsenter",
    [`--net=${lab.namespace}`, "--", "busybox", "nc", "-ll", "-p", "80", "-e", "/bin/cat"],
    { stdio: "ignore", detached: true },
  );
  t.after(() => {
    if (host.pid !== undefined) process.kill(-host.pid, "SIGKILL");
  });
  const foreign = await addSomebodyElse(lab);

  const dying = async (verb: "apply" | "clear"): Promise<Readonly<Record<string, number>>> => {
    const ends: Record<string, number> = {};
    for (;;) {
      const death = deaths.shift();
      assert.ok(death !== undefined, `no end: ${JSON.stringify(ends)}`);
      const end = await runHelper({
        ...{ ...given, verb, namespace: lab.namespace, socket, death, tools: [] },
      });
      if (end.startsWith("done ")) return ends;
      assert.ok(MEETS.includes(end), `${end} after ${JSON.stringify(ends)}`);
      ends[end] = (ends[end] ?? 0) + 1;
    }
  };

  for (let round = 0; round < ROUNDS; round += 1) {
    await t.test(
      `it comes up all the same, and nothing leaks meanwhile (${round})`,
      async (each) => {
        const ends = await dying("apply");
        each.diagnostic(`apply: ${JSON.stringify(ends)}`);
        assert.ok((ends["killed"] ?? 0) > 0, "control: they were killed");
        assert.ok(isProven(proveBoundary(aim, await apply())));
        await untilReached(lab, OWNER, ALLOWED);
        assert.deepEqual([...(await reached(lab, OWNER))].sort(), [...ALLOWED].sort());
      },
    );

    await t.test(
      "killed between the networks of a node, or one is made again: made anew",
      async () => {
        const sensor = aim.desired.nodes.find(({ name }) => name === `${OWNER}-sensor`);
        const dmz = aim.desired.networks.find(({ spec }) => spec.name === `${OWNER}-dmz`);
        const [lan] = (await lab.backend.networks()).filter(({ name }) => name === `${OWNER}-lan`);
        assert.ok(sensor?.attachments.length === 2 && dmz !== undefined && lan !== undefined);
        for (const name of ["web", "mail"]) await lab.docker("kill", `${OWNER}-${name}`);
        await lab.docker("rm", "-f", sensor.name);
        const half = await lab.backend.createContainer({
          ...sensor,
          environment: {},
          attachments: sensor.attachments
            .slice(0, 1)
            .map(({ ipv4 }) => ({ network: lan.id, ipv4 })),
        });
        await lab.docker("network", "rm", dmz.spec.name);
        await lab.backend.createNetwork(dmz.spec);
        const old = await lab.docker("inspect", "--format", "{{.Id}}", `${OWNER}-web`);
        const seen = await apply();
        assert.ok(!seen.containers.some(({ id }) => id === half || id === old));
        assert.ok(isProven(proveBoundary(aim, seen)));
        await untilReached(lab, OWNER, ALLOWED);
        assert.deepEqual([...(await reached(lab, OWNER))].sort(), [...ALLOWED].sort());
      },
    );

    const ENDS: readonly (readonly [string, () => Promise<void>])[] = [
      ["ends", async () => undefined],
      ["is killed", () => lab.kill()],
    ];
    // Both take a minute. What a watch makes of an engine that is killed is seen in closes.test.ts.
    for (const [what, end] of profile.name === "soak" ? ENDS : ENDS.slice(0, 1)) {
      await t.test(
        `its engine ${what} and starts again: nothing passes before an apply`,
        async () => {
          await end();
          await lab.restart();
          const running = (await lab.backend.containers()).filter((one) => one.running);
          assert.deepEqual(running, []);
          const calls = () =>
            lab
              .docker("exec", `${OWNER}-attacker`, "nc", "-w", "2", "10.60.2.8", "80")
              .then(() => true)
              .catch(() => false);
          for (const name of ["web", "attacker"]) await lab.docker("start", `${OWNER}-${name}`);
          assert.equal(await calls(), false, "started by hand, they are bound to nothing");
          assert.ok(isProven(proveBoundary(aim, await apply())));
          assert.equal(await calls(), true, "control");
          assert.deepEqual([...(await reached(lab, OWNER))].sort(), [...ALLOWED].sort());
        },
      );
    }

    await t.test("control: who calls would have been heard, had nothing held", async () => {
      const tables = (await lab.run(["nft", "list", "tables"])).match(/\w+ drydock_\w+/g) ?? [];
      assert.equal(tables.length, 4);
      for (const table of tables) await lab.run(["nft", "delete", "table", ...table.split(" ")]);
      await untilReached(lab, OWNER, ["attacker 10.60.1.10:80", "web 10.60.2.1:80"]);
    });

    await t.test(
      "and is cleared all the same, of what is its own and of nothing else",
      async (each) => {
        await apply();
        const ends = await dying("clear");
        each.diagnostic(`clear: ${JSON.stringify(ends)}`);
        assert.deepEqual(await lab.backend.containers(), []);
        const networks = (await lab.backend.networks()).filter(({ driver }) => driver === "bridge");
        assert.deepEqual(
          networks.map(({ id }) => id),
          [foreign],
        );
        assert.equal((await lab.run(["nft", "list", "tables"])).trim(), SOMEBODY_ELSES_TABLE);
      },
    );
  }
});
