#!/usr/bin/env node
// What looking at a whole appliance again costs, as a watch does it every two seconds: topology,
// rules, settings, both proofs, images and holders of the example, on a real engine in a network
// namespace of its own. Beside the raw limit, which is `nft -j list ruleset` and `docker inspect` of
// everything there, with nobody looking at what they say; and beside the freshness that whoever
// depends on it needs. Needs root and Debian's docker.io. One JSON object.
import { observeGuest } from "../packages/boundary/dist/observe/index.js";
import { policy } from "../packages/boundary/dist/testing/index.js";
import { bringUp } from "../packages/boundary/dist/watch/testing/watched-lab.js";
import { askedSources } from "../packages/cli/dist/commands/boundary/asked-sources.js";
import { interleaved, ROUNDS, rounded, spread } from "./lib/stats.mjs";

const OWNER = "dd-bench";

const ended = [];
const timed = async (work) => {
  const [began, used] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(used);
  return { ms: performance.now() - began, cpuMs: (user + system) / 1_000 };
};
try {
  const boundary = await bringUp({ after: (end) => ended.push(end) }, OWNER);
  const { lab, aim, sources, images, namespace } = boundary;
  const asked = askedSources(policy, aim.desired, {
    namespace,
    engine: lab.backend,
    dockerSocket: lab.socket,
  });
  const observe = (check) => async () => {
    const guest = await observeGuest(aim, images, { ...sources, ...asked }, { check });
    if (guest.gaps.length > 0) throw new Error(JSON.stringify(guest.gaps));
    return guest;
  };
  const names = async (...args) => (await lab.docker(...args)).split("\n").filter(Boolean);
  const results = await interleaved(ROUNDS, {
    raw: () =>
      timed(async () => {
        await lab.run(["nft", "-j", "list", "ruleset"]);
        await lab.docker("inspect", ...(await names("ps", "-aq")));
        await lab.docker("network", "inspect", ...(await names("network", "ls", "-q")));
      }),
    // A watch makes the exhaustive check again only where its question is another.
    observed: () => timed(observe(boundary.check)),
    checkedAnew: () => timed(observe(undefined)),
  });
  const of = (key, measure) => spread(results[key].map((each) => each[measure]));
  const freshnessMs = policy.observationFreshnessSeconds * 1_000;
  const { median } = of("observed", "ms");
  console.log(
    JSON.stringify({
      bench: "boundary-watch",
      nodes: aim.wanted.plan.nodes.length,
      rounds: ROUNDS,
      rawMs: of("raw", "ms"),
      observedMs: of("observed", "ms"),
      observedCpuMs: of("observed", "cpuMs"),
      checkedAnewMs: of("checkedAnew", "ms"),
      ratioToRaw: rounded(median / of("raw", "ms").median),
      freshnessMs,
      ratioToFreshness: rounded(median / freshnessMs),
    }),
  );
} finally {
  for (const end of ended) await end();
}
