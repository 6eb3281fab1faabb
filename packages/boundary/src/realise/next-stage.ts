import { quote } from "@drydock/evidence";
import { bindPlatform, bindScenario } from "../bind/index.js";
import { refuse } from "../codes.js";
import { compileFloor, compilePlatform, compileScenario } from "../compile/index.js";
import type { EngineContainer, EngineNetwork } from "../engine/index.js";
import type { Authority, Ruleset } from "../model/index.js";
import {
  compareRulesets,
  compareSettings,
  type Difference,
  isOfOwnTables,
} from "../readback/index.js";
import { ownerDigest, parseAbout, tableName } from "../ruleset/index.js";
import { type Aim, settingsFor } from "./aim.js";
import type { Desired, DesiredContainer } from "./desired.js";
import { isHalfMade } from "./half-made.js";
import { isOwned, SPEC_LABEL } from "./labels.js";
import { rulesetIn } from "./ruleset-in.js";
import type { Seen } from "./seen.js";
import type { Action, Stage, StageName } from "./stage.js";

/**
 * What has to be done next, given all that is there now; null when nothing has. It remembers
 * nothing: whatever was interrupted, the same question asked again goes on from there.
 *
 * @throws DrydockError BIND_…, APPLY_NAME_TAKEN, APPLY_ENGINE_ELSEWHERE, TABLE_FOREIGN
 */
export const nextStage = (aim: Aim, seen: Seen): Stage | null => {
  const steps: readonly (readonly [StageName, (aim: Aim, seen: Seen) => readonly Action[]])[] = [
    ["stale", removeStale],
    ["networks", createNetworks],
    ["settings", writeSettings],
    ["floor", loadFloor],
    ["scenario-table", loadScenario],
    ["anchors", ({ desired }) => runContainers(desired.anchors, seen)],
    ["platform-table", loadPlatform],
    ["nodes", ({ desired }) => runContainers(desired.nodes, seen)],
    ["routes", setRoutes],
  ];
  for (const [name, step] of steps) {
    const actions = step(aim, seen);
    if (actions.length > 0) return { name, actions };
  }
  return null;
};

/** What the owner has and nobody wants, wants otherwise, or can use: containers first, then networks. */
const removeStale = ({ desired }: Aim, { containers, networks }: Seen): readonly Action[] => {
  const kept = new Set<string>();
  const wantedContainers = new Map(all(desired).map((one) => [one.name, one]));
  const stale = containers
    .filter((container) => isOwned(desired.owner, container))
    .filter((container) => {
      const wanted = wantedContainers.get(container.name);
      return (
        wanted === undefined ||
        wanted.labels[SPEC_LABEL] !== container.labels[SPEC_LABEL] ||
        isHalfMade(wanted, container, desired, networks)
      );
    });
  if (stale.length > 0) return stale.map(({ id }) => ({ kind: "remove-container", id }));
  const wantedNetworks = new Map(desired.networks.map(({ spec }) => [spec.name, spec]));
  return networks
    .filter((network) => isOwned(desired.owner, network))
    .filter(({ name, labels }) => {
      const isWanted = wantedNetworks.get(name)?.labels[SPEC_LABEL] === labels[SPEC_LABEL];
      const isSecond = kept.has(name);
      kept.add(name);
      return !isWanted || isSecond;
    })
    .map(({ id }) => ({ kind: "remove-network", id }));
};

const createNetworks = ({ desired }: Aim, { networks, links }: Seen): readonly Action[] =>
  desired.networks.flatMap(({ spec }): readonly Action[] => {
    const found = networks.find(({ name }) => name === spec.name);
    if (found === undefined) return [{ kind: "create-network", spec }];
    refuseTaken(desired, found, "network");
    if (links.some(({ name }) => name === spec.bridge)) return [];
    return refuse(
      "APPLY_ENGINE_ELSEWHERE",
      `network ${quote(spec.name)} exists, and its bridge ${spec.bridge} isn't in the namespace`,
      { fix: "Name the socket of the engine that runs in this namespace." },
    );
  });

const refuseTaken = (
  desired: Desired,
  found: EngineNetwork | EngineContainer,
  kind: string,
): void => {
  if (isOwned(desired.owner, found)) return;
  refuse("APPLY_NAME_TAKEN", `${kind} ${quote(found.name)} exists and isn't this boundary's`, {
    fix: "Remove it, or choose another --owner.",
  });
};

const writeSettings = (aim: Aim, { settings }: Seen): readonly Action[] =>
  settingsFor(aim)
    .filter((setting) => compareSettings([setting], settings).length > 0)
    .map((setting) => ({ kind: "write-setting", setting }));

/** Before anything of the platform runs, everything of it is denied. */
const loadFloor = (aim: Aim, seen: Seen): readonly Action[] => {
  const { platform } = aim.wanted;
  const about = aboutOf(aim, seen, "platform");
  if (platform === null && about !== null) {
    return refuse(
      "APPLY_PLATFORM_PRESENT",
      "this boundary has a platform, and none is wanted now",
      {
        fix: "Run drydock boundary clear first: a platform is never taken away under what runs.",
      },
    );
  }
  if (platform === null || about !== null) return [];
  const { networks } = bindPlatform(platform.policy, seen.topology, { phase: "networks" });
  const ruleset = compileFloor(
    "platform",
    { networks: Object.values(networks), ports: [] },
    options(aim),
  );
  return [load(aim, seen, ruleset)];
};

/** The boundary's other table is nobody else's, whatever it holds at the moment. */
const load = ({ desired }: Aim, { listing }: Seen, ruleset: Ruleset): Action => {
  const other = ruleset.authority === "scenario" ? "platform" : "scenario";
  const beside = rulesetIn(listing, desired.owner, other);
  return { kind: "load", ruleset, beside: beside === null ? [] : [beside] };
};

const loadScenario = (aim: Aim, seen: Seen): readonly Action[] => {
  const scenario = bindScenario(aim.wanted.plan, seen.topology, {
    phase: phaseOf(aim.desired.nodes, seen),
  });
  return loadIfDifferent(aim, seen, compileScenario(scenario, options(aim)));
};

const loadPlatform = (aim: Aim, seen: Seen): readonly Action[] => {
  const { platform } = aim.wanted;
  if (platform === null) return [];
  const bound = bindPlatform(platform.policy, seen.topology, {
    phase: phaseOf(aim.desired.anchors, seen),
  });
  return loadIfDifferent(aim, seen, compilePlatform(bound, options(aim)));
};

/** Containers that don't all exist are bound to nothing: what does exist stays cut off until then. */
const phaseOf = (wanted: readonly DesiredContainer[], { containers }: Seen) =>
  wanted.every(({ name }) => containers.some((one) => one.name === name))
    ? "containers"
    : "networks";

const options = ({ desired, realisation }: Aim) => ({ owner: desired.owner, realisation });

const loadIfDifferent = (aim: Aim, seen: Seen, ruleset: Ruleset): readonly Action[] => {
  const differences = compareRulesets([ruleset], seen.listing).filter(isOfOwnTables);
  if (differences.some(({ kind }) => kind === "table-foreign")) refuseForeign(differences);
  return differences.length === 0 ? [] : [load(aim, seen, ruleset)];
};

const refuseForeign = (differences: readonly Difference[]): never => {
  const table = differences.find(({ kind }) => kind === "table-foreign")?.table ?? "";
  return refuse(
    "TABLE_FOREIGN",
    `table ${quote(table)} has this boundary's name and isn't its own`,
    {
      fix: "Find out who made it, then delete it with nft.",
    },
  );
};

const aboutOf = ({ desired }: Aim, { listing }: Seen, authority: Authority) => {
  const name = tableName(desired.owner, authority);
  const tables = listing.tables.filter((table) => table.name === name);
  const [first] = tables;
  if (first === undefined) return null;
  const about = first.comment === null ? null : parseAbout(first.comment);
  if (about?.owner !== ownerDigest(desired.owner)) {
    return refuse("TABLE_FOREIGN", `table ${name} has this boundary's name and isn't its own`, {
      fix: "Find out who made it, then delete it with nft.",
    });
  }
  return about;
};

const all = ({ anchors, nodes }: Desired): readonly DesiredContainer[] => [...anchors, ...nodes];

/** All are created before any is started, and each is on all its networks before it is. */
const runContainers = (
  wanted: readonly DesiredContainer[],
  { containers }: Seen,
): readonly Action[] => {
  const found = wanted.map((container) => ({
    container,
    existing: containers.find(({ name }) => name === container.name),
  }));
  const missing = found.filter(({ existing }) => existing === undefined);
  if (missing.length > 0) {
    return missing.map(({ container }) => ({ kind: "create-container", container }));
  }
  return found.flatMap(({ existing }): readonly Action[] =>
    existing === undefined || existing.running
      ? []
      : [{ kind: "start-container", id: existing.id }],
  );
};

/** The engine chooses by a network's name which of several gateways is the default one. */
const setRoutes = ({ desired }: Aim, { containers, routes }: Seen): readonly Action[] =>
  all(desired).flatMap(({ name, gateway, attachments }): readonly Action[] => {
    const found = containers.find((container) => container.name === name);
    if (found === undefined || !found.running || attachments.length < 2) return [];
    return routes.get(found.id) === gateway
      ? []
      : [{ kind: "set-default-route", id: found.id, gateway }];
  });
