/**
 * The import directions of docs/decisions/0002 and of the pure core, held by a machine.
 *
 *   cli → trial → { vm, broker, boundary, ledger, wire } → document → evidence      guest → wire → evidence
 *   cli → lab → { acceptance, faults, broker } → document → evidence
 *
 * What may one day change a firewall knows no lab, and what contains a guest knows none either.
 *
 * Run: npx depcruise --config .dependency-cruiser.cjs packages guest
 */

const TEST = "[.]test[.]ts$|/testing/|/fixtures?/";

/** What each room may import besides itself. A room that isn't listed may import nothing. */
const MAY_IMPORT = {
  "packages/evidence": [],
  "packages/wire": ["packages/evidence"],
  "packages/ledger": ["packages/evidence"],
  "packages/document": ["packages/evidence"],
  "packages/vm": ["packages/evidence", "packages/wire"],
  "packages/broker": ["packages/evidence", "packages/document"],
  "packages/boundary": ["packages/evidence", "packages/document"],
  "packages/faults": ["packages/evidence", "packages/document"],
  "packages/acceptance": ["packages/evidence"],
  "packages/lab": [
    "packages/evidence",
    "packages/acceptance",
    "packages/faults",
    "packages/broker",
  ],
  "packages/trial": [
    "packages/evidence",
    "packages/document",
    "packages/wire",
    "packages/ledger",
    "packages/vm",
    "packages/broker",
    "packages/boundary",
  ],
  "packages/cli": [
    "packages/evidence",
    "packages/document",
    "packages/wire",
    "packages/ledger",
    "packages/vm",
    "packages/broker",
    "packages/boundary",
    "packages/acceptance",
    "packages/faults",
    "packages/lab",
    "packages/trial",
  ],
  "packages/testkit": [],
  guest: ["packages/evidence", "packages/wire"],
};

const anyOf = (paths) => paths.map((path) => `^${path}/`).join("|");

const directions = Object.entries(MAY_IMPORT).map(([room, allowed]) => ({
  name: `direction-${room.split("/").pop()}`,
  comment: `${room} may import ${allowed.join(", ") || "no other room"}`,
  severity: "error",
  from: { path: `^${room}/src/`, pathNot: TEST },
  to: {
    path: "^(packages/[^/]+|guest)/",
    pathNot: anyOf([room, ...allowed]),
  },
}));

/** Rules here are pure: what they need from outside comes in as a parameter. */
const PURE = [
  "packages/trial/src/lifecycle",
  "packages/trial/src/contract",
  "packages/wire/src",
  "packages/ledger/src/rules",
  "packages/ledger/src/resources",
  "packages/document/src",
  "packages/evidence/src/(digest|json|schema|record|gates|manifest)",
  "packages/boundary/src/(model|plan|policy|release|bind|compile|meaning|check|ruleset|readback|gate|receipt)",
  "packages/acceptance/src/(canonical|contract|artifact|confirmation|reconciliation|rate|history)",
  "packages/faults/src/(chance|arming|stream/toxics)",
  "packages/broker/src/(decision|authority|address|policy|hello|request|resolve/(message|answer|lookup))",
  "packages/lab/src/appliance/(answer|configuration|endpoint|field|model|query|request)",
];

/** Everything that reaches beyond the process, and the sources of time and chance. */
const IO =
  "^(node:)?(fs|net|http|https|http2|tls|dgram|dns|child_process|cluster|worker_threads|os|process|timers|readline|repl|vm|inspector|perf_hooks|v8)(/promises)?$";

/** Third-party code by room: whatever isn't listed is one more thing to trust. */
const THIRD_PARTY = {
  "packages/evidence": "^$",
  "packages/wire": "^$",
  "packages/ledger": "node_modules/better-sqlite3/",
  "packages/vm": "node_modules/zod/",
  "packages/document": "node_modules/(yaml|zod)/",
  "packages/broker": "node_modules/(zod|@peculiar/x509)/",
  "packages/boundary": "node_modules/(zod|dockerode)/",
  "packages/faults": "node_modules/zod/",
  "packages/acceptance": "node_modules/(zod|better-sqlite3)/",
  "packages/lab": "node_modules/zod/",
  "packages/trial": "node_modules/zod/",
  "packages/cli": "node_modules/(commander|tar-stream)/",
  guest: "^$",
};

const thirdParty = Object.entries(THIRD_PARTY).map(([room, allowed]) => ({
  name: `third-party-${room.split("/").pop()}`,
  comment: "A new dependency of shipped code is a decision: add it here and say why in the commit.",
  severity: "error",
  from: { path: `^${room}/src/`, pathNot: TEST },
  to: { path: "node_modules/", pathNot: [allowed, "node_modules/@types/"] },
}));

module.exports = {
  forbidden: [
    ...directions,
    ...thirdParty,
    {
      name: "enter-by-index",
      comment: "A package is entered only by its index.ts, by tests also by testing/index.ts",
      severity: "error",
      from: { path: "^(packages/[^/]+|guest)/" },
      to: {
        path: "^(packages/[^/]+|guest)/src/",
        pathNot: [
          "^$1/",
          "^(packages/[^/]+|guest)/src/(testing/)?index[.]ts$",
          "^packages/acceptance/src/rehearsal/index[.]ts$",
        ],
      },
    },
    {
      name: "hooked-store-only-in-rehearsals",
      comment: "A store that can be made to fail is for the lab and for tests",
      severity: "error",
      from: { pathNot: [TEST, "^packages/lab/", "^packages/acceptance/src/rehearsal/"] },
      to: { path: "^packages/acceptance/(src|dist)/rehearsal/" },
    },
    {
      name: "store-by-its-door",
      comment: "Where a store is opened for use there is nothing to hook into",
      severity: "error",
      from: {
        path: "^packages/acceptance/",
        pathNot: [TEST, "^packages/acceptance/src/(store|rehearsal)/"],
      },
      to: {
        path: "^packages/acceptance/src/store/",
        pathNot: "^packages/acceptance/src/store/index[.]ts$",
      },
    },
    {
      name: "testkit-only-in-tests",
      comment: "Shipped code has no test switch",
      severity: "error",
      from: { pathNot: [TEST, "^packages/testkit/", "^scripts/", "^bench/"] },
      to: { path: "^packages/testkit/|node_modules/fast-check/" },
    },
    {
      name: "tests-aside",
      comment: "Shipped code imports no test and no test support",
      severity: "error",
      from: { pathNot: TEST },
      to: { path: TEST },
    },
    {
      name: "pure",
      comment: "Rules read no clock, no environment, no entropy and no file",
      severity: "error",
      from: { path: PURE.map((path) => `^${path}/`).join("|"), pathNot: TEST },
      to: { path: IO, dependencyTypes: ["core"] },
    },
    {
      name: "no-cycle",
      comment: "Files that need each other are one file, or three",
      severity: "error",
      from: { pathNot: TEST },
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "resolvable",
      comment: "An import that can't be found, or isn't in package.json",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    // Sources, not builds: so that a stale build can't hide a new import.
    tsConfig: { fileName: "tsconfig.deps.json" },
    exclude: { path: "(^|/)(dist|node_modules/[.]cache)/" },
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "types", "node", "default"],
      extensions: [".ts", ".mjs", ".js", ".json", ".d.ts"],
    },
  },
};
