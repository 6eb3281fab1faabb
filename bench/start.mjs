#!/usr/bin/env node
// How long it takes until a command's output is there: a clone of the golden snapshot, a cold boot,
// `docker run --rm` of a busybox image, and `drydock run` from command line to verdict. One JSON
// object. Needs root; build first with `node scripts/build.mjs`.
import { spawnSync } from "node:child_process";
import { startDocker } from "./lib/docker.mjs";
import { openHome } from "./lib/home.mjs";
import { openLaboratory, startMachine } from "./lib/machine.mjs";
import { interleaved, median, ROUNDS, rounded, spread } from "./lib/stats.mjs";

const timed = (command, args, env) => {
  const began = performance.now();
  const { status, stderr } = spawnSync(command, args, { env, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${stderr}`);
  return performance.now() - began;
};

const firstOutput = async (laboratory) => {
  const machine = await startMachine(laboratory);
  try {
    return await machine.exec(["echo", "out"]);
  } finally {
    await machine.end();
  }
};

const home = openHome();
const docker = await startDocker();
try {
  const clone = await openLaboratory({ snapshot: true });
  const cold = await openLaboratory({ snapshot: false });
  const phases = [];
  const contenders = {
    docker: () =>
      timed("docker", [
        ...["--host", docker.socket, "run", "--rm", "--network", "none"],
        ...["busybox:offline", "echo", "out"],
      ]),
    clone: () => firstOutput(clone),
    run: () => {
      const began = performance.now();
      phases.push(JSON.parse(home.must(["run", "--json", "--", "true"])).phases);
      return performance.now() - began;
    },
    node: () => timed(process.execPath, ["-e", "0"]),
    cold: () => firstOutput(cold),
  };
  // Once for whatever is made on first use.
  await interleaved(1, contenders);
  phases.length = 0;
  const results = await interleaved(ROUNDS, contenders);
  const middle = Object.fromEntries(
    Object.entries(results).map(([name, values]) => [name, median(values)]),
  );
  console.log(
    JSON.stringify({
      name: "start",
      ms: Object.fromEntries(
        Object.entries(results).map(([name, values]) => [name, spread(values)]),
      ),
      runPhasesMs: Object.fromEntries(
        Object.keys(phases[0]).map((name) => [name, median(phases.map((run) => run[name]))]),
      ),
      ratios: {
        cloneToDocker: rounded(middle.clone / middle.docker),
        runToDocker: rounded(middle.run / middle.docker),
        coldToClone: rounded(middle.cold / middle.clone),
        runToNodeStart: rounded(middle.run / middle.node),
      },
      targets: { cloneToDocker: 0.7, runToDocker: 1.5 },
    }),
  );
} finally {
  await docker.stop();
  home.close();
}
