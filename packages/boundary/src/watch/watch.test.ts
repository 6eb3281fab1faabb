import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { profile } from "@drydock/testkit";
import { driftFindings } from "../gate/index.js";
import { type GuestSources, observeGuest } from "../observe/index.js";
import { runProbes } from "../probe/index.js";
import { policy } from "../testing/index.js";
import { bringUp, startWatch } from "./testing/watched-lab.js";

const OWNER = "dd-watch";
const PROBER = fileURLToPath(new URL("../probe/prober.js", import.meta.url));
const SECOND = 1_000;

test("an appliance that is watched: seen, probed, bound again, and closed", async (t) => {
  const boundary = await bringUp(t, OWNER);
  const { lab, aim, binding, sources, images } = boundary;
  const observe = async (probe: GuestSources["probe"] = null) => {
    const since = performance.now();
    const guest = await observeGuest(aim, images, { ...sources, probe });
    return { guest, took: Math.round(performance.now() - since) };
  };
  const findings = async () => {
    const { guest } = await observe();
    return driftFindings({ policy, binding, guest });
  };

  await t.test("a whole observation finds nothing, well within its freshness", async () => {
    const times: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const { guest, took } = await observe();
      assert.deepEqual(driftFindings({ policy, binding, guest }), []);
      assert.deepEqual(
        guest.enforcements.map(({ families, defaultDeny }) => [families.length, defaultDeny]),
        [
          [2, true],
          [2, true],
        ],
      );
      times.push(took);
    }
    t.diagnostic(`observed in ${times.join(", ")} ms`);
    // The first one is of a program that was never run before.
    assert.ok(Math.min(...times) < policy.observationFreshnessSeconds * SECOND, `${times}`);
  });

  // Every flow takes a minute on a busy machine.
  const extents = profile.name === "soak" ? (["sample", "all"] as const) : (["sample"] as const);
  for (const extent of extents) {
    await t.test(`what is predicted is what is seen from inside: ${extent}`, async () => {
      const seed = Buffer.from("a seed");
      const { guest, took } = await observe((cells, pids) =>
        runProbes(cells, {
          extent,
          seed,
          pids,
          program: PROBER,
          toolDirectories: boundary.namespace.toolDirectories,
        }),
      );
      t.diagnostic(`${extent}: ${guest.probes.length} probes in ${took} ms`);
      assert.deepEqual(
        guest.probes.filter(({ passed }) => !passed),
        [],
      );
      assert.deepEqual(guest.gaps, []);
      for (const authority of ["scenario", "platform"]) {
        for (const expectation of ["reachable", "blocked"]) {
          assert.ok(
            guest.probes.some(
              (probe) => probe.authority === authority && probe.expectation === expectation,
            ),
          );
        }
      }
      assert.doesNotMatch(readProcesses(), /probe\/prober\.js/, "none is left");
    });
  }

  await t.test("a container that starts again is bound again", async (each) => {
    const watch = await startWatch(boundary, each);
    const since = performance.now();
    await lab.docker("restart", "-t", "0", `${OWNER}-web`);
    await watch.until(({ kind }) => kind === "bound", since);
    const started = performance.now();
    await watch.until((event) => event.kind === "observed" && event.findings.length === 0, started);
    assert.deepEqual(watch.reports, []);
    await watch.stop();
    assert.deepEqual(await findings(), []);
  });

  await t.test(
    "a network that is made again on another bridge closes it, and that bridge",
    async (each) => {
      const watch = await startWatch(boundary, each);
      const wan = aim.desired.networks.find(({ spec }) => spec.name === `${OWNER}-wan`);
      assert.ok(wan !== undefined);
      await lab.docker("network", "disconnect", "-f", `${OWNER}-wan`, `${OWNER}-attacker`);
      await lab.docker("network", "rm", `${OWNER}-wan`);
      await lab.backend.createNetwork({ ...wan.spec, bridge: "br-other" });
      const since = performance.now();
      const first = await watch.until(({ kind }) => kind === "dropped", since);
      // That one may have begun before the network was made; the next one looks again.
      await watch.until(({ kind }) => kind === "dropped", since + first + 1);
      const listing = await lab.run(["nft", "list", "ruleset"]);
      assert.match(listing, /"br-other"/);
      await watch.stop();
    },
  );
});

/** Command lines of this process's children: a prober is one, and nobody else's is meant. */
const readProcesses = (): string =>
  readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "latin1")
    .split(" ")
    .filter((pid) => existsSync(`/proc/${pid}/cmdline`))
    .map((pid) => readFileSync(`/proc/${pid}/cmdline`, "latin1"))
    .join("\n");
