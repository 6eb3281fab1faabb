#!/usr/bin/env node
// What live guests occupy: clones of one golden snapshot beside as many cold guests, each at the
// point where a first command has ended. Proportional set size, with the golden memory counted
// once and whole, also where no clone has touched it. One JSON object. Needs root.
import { readFileSync, statSync } from "node:fs";
import { openHome } from "./lib/home.mjs";
import { openLaboratory, startMachine } from "./lib/machine.mjs";
import { rounded } from "./lib/stats.mjs";

const GUESTS = Number(process.env.DRYDOCK_BENCH_GUESTS ?? 8);
const MIB = 2 ** 20;
/** Where QEMU has the golden memory: the first descriptor that it inherits. */
const MEMORY_DESCRIPTOR = 3;

const memoryOf = (pid) => {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const read = (name) => {
    const found = new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text);
    if (found === null) throw new Error(`this kernel's smaps_rollup has no ${name}`);
    return Number(found[1]) * 1024;
  };
  return { anonymous: read("Pss_Anon"), file: read("Pss_File"), shared: read("Pss_Shmem") };
};

const sum = (values) => values.reduce((total, value) => total + value, 0);

const measure = async (laboratory) => {
  const machines = [];
  try {
    for (let guest = 0; guest < GUESTS; guest += 1) {
      const machine = await startMachine(laboratory);
      machines.push(machine);
      await machine.exec(["echo", "out"]);
    }
    // All of them live before any is looked at: a proportional size depends on the others.
    const parts = machines.map(({ pid }) => memoryOf(pid));
    const shared = sum(parts.map((part) => part.shared));
    const golden =
      laboratory.plan.golden === null
        ? shared
        : statSync(`/proc/${machines[0].pid}/fd/${MEMORY_DESCRIPTOR}`).blocks * 512;
    const own = sum(parts.map(({ anonymous, file }) => anonymous + file));
    return { own, golden, total: own + Math.max(golden, shared) };
  } finally {
    for (const machine of machines) await machine.end();
  }
};

const home = openHome();
try {
  const clones = await measure(await openLaboratory({ snapshot: true }));
  const cold = await measure(await openLaboratory({ snapshot: false }));
  const mib = ({ own, golden, total }) => ({
    ownMiB: rounded(own / MIB),
    sharedMiB: rounded(golden / MIB),
    totalMiB: rounded(total / MIB),
    eachMiB: rounded(total / MIB / GUESTS),
  });
  console.log(
    JSON.stringify({
      name: "memory",
      guests: GUESTS,
      clones: mib(clones),
      cold: mib(cold),
      ratios: { clonesToCold: rounded(clones.total / cold.total) },
      targets: { clonesToCold: 0.4 },
    }),
  );
} finally {
  home.close();
}
