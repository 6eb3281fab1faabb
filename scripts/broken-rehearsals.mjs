// Plays a rehearsal once with each of nine parts broken, by the command line, and looks whether it
// ends FAIL and says which part. The parts are replaced by the tests' loader: the program that is
// shipped has no switch that breaks it.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const load = (path) => import(pathToFileURL(join(root, path)).href);
const { BROKEN_REHEARSALS } = await load("packages/lab/dist/testing/broken.js");
const { swapArguments } = await load("packages/testkit/dist/index.js");

const extent = process.argv[2];
if (extent !== undefined && extent !== "--all") {
  console.error("usage: broken-rehearsals.mjs [--all]");
  process.exit(2);
}

/** What a rehearsal says against itself, one each. */
const complaints = ({ scenarios, exit }) => [
  ...scenarios.flatMap(({ name, failures }) => failures.map((failure) => [name, failure])),
  ...(exit.permissionRevoked ? [] : [["exit", "exit: permissionRevoked false"]]),
];

let missed = 0;
for (const { name, shownBy, named, ...swap } of BROKEN_REHEARSALS) {
  const { status, stdout } = spawnSync(
    process.execPath,
    [
      ...swapArguments([swap]),
      join(root, "packages/cli/dist/main.js"),
      ...["lab", "accept", "--json"],
      ...(extent === "--all" ? [] : ["--scenario", shownBy]),
    ],
    { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], maxBuffer: 64 << 20 },
  );
  const { verdict, ...report } = JSON.parse(stdout);
  const said = complaints(report).filter(([, failure]) => named.test(failure));
  const isFound = status === 1 && verdict === "FAIL" && said.length > 0;
  if (!isFound) missed += 1;
  console.log(`${isFound ? "FAIL, as it has to" : `NOT FOUND OUT (${verdict})`}: ${name}`);
  for (const [where, failure] of said) console.log(`    ${where}: ${failure}`);
}
if (missed > 0) {
  console.error(`demo: ${missed} of ${BROKEN_REHEARSALS.length} weren't found out`);
  process.exit(1);
}
console.log(`demo: PASS; all ${BROKEN_REHEARSALS.length} broken rehearsals were found out`);
