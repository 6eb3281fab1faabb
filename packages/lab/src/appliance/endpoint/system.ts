import { refuse, refuseValue } from "../answer/index.js";
import {
  type Appliance,
  applied,
  FIREWALL_SUBSYSTEMS,
  type Revision,
  type Subsystem,
} from "../configuration/index.js";
import { findById } from "../field/index.js";
import { matches } from "../query/index.js";
import { issueToken } from "../request/index.js";
import { type Effect, type Handler, unchanged } from "./handler.js";
import { pageOf } from "./many.js";
import { objectOf } from "./objects.js";

/** What still has to be applied, of these subsystems. */
const statusOf = ({ pending }: Appliance, subsystems: readonly Subsystem[]) => {
  const waiting = subsystems.filter((one) => pending.includes(one));
  return { applied: waiting.length === 0, pending_subsystems: waiting };
};

export const readFirewallApply: Handler = (turn) =>
  unchanged(turn, statusOf(turn.appliance, FIREWALL_SUBSYSTEMS));

/** Applied in the background unless asked otherwise, so that the answer may still say "pending". */
export const applyFirewall: Handler = (turn) => {
  if (turn.controls.dryRun) return readFirewallApply(turn);
  if (turn.controls.async) return { ...readFirewallApply(turn), effects: [{ kind: "reload" }] };
  const appliance = applied(turn.appliance, FIREWALL_SUBSYSTEMS);
  return { appliance, data: statusOf(appliance, FIREWALL_SUBSYSTEMS), effects: [] };
};

const ROUTING: readonly Subsystem[] = ["staticroutes"];

export const readRoutingApply: Handler = (turn) =>
  unchanged(turn, { applied: statusOf(turn.appliance, ROUTING).applied });

export const applyRouting: Handler = (turn) => {
  if (turn.controls.dryRun) return readRoutingApply(turn);
  const appliance = applied(turn.appliance, ROUTING);
  return { appliance, data: { applied: true }, effects: [] };
};

export const readSystemVersion: Handler = (turn) => {
  const { version, base, patch, buildtime } = turn.appliance.configuration.system;
  return unchanged(turn, { version, base, patch, buildtime });
};

/** Nothing else is installed: a stand-in has the one version that it was started with. */
export const readApiVersion: Handler = (turn) => {
  const version = `v${turn.appliance.behaviour.apiVersion}`;
  return unchanged(turn, {
    current_version: version,
    latest_version: version,
    latest_version_release_date: "stand-in",
    update_available: false,
    available_versions: [version],
  });
};

const PERSIST: readonly Effect[] = [{ kind: "persist" }];

const asObject = ({ time, description, version, filesize }: Revision) => ({
  time,
  description,
  version,
  filesize,
});

export const readRevisions: Handler = (turn) => {
  const all = turn.appliance.history
    .map((revision, id) => ({ id, object: asObject(revision) }))
    .filter(({ id, object }) => matches({ ...object, id }, objectOf(turn.data)));
  const page = pageOf(all, turn.controls, ["time", "description", "version", "filesize"]);
  return unchanged(
    turn,
    page.map(({ id, object }) => ({ id, ...object })),
  );
};

export const deleteRevisions: Handler = (turn) => {
  const query = objectOf(turn.data);
  const all = query["all"] === true;
  if (!all && Object.keys(query).length === 0) {
    refuseValue(
      "MODEL_DELETE_MANY_REQUIRES_QUERY_PARAMS",
      "At least one query parameter is required to perform mass deletion.",
    );
  }
  const chosen = turn.appliance.history
    .map((revision, id) => ({ id, ...asObject(revision) }))
    .filter((revision) => all || matches(revision, query));
  return withoutRevisions(turn, chosen);
};

const revisionOf = (turn: Parameters<Handler>[0]) => {
  const data = objectOf(turn.data);
  if (!Object.hasOwn(data, "id")) refuseValue("MODEL_REQUIRES_ID", "Field 'id' is required.");
  const objects = turn.appliance.history.map(asObject);
  const id = findById(objects, data["id"] ?? null);
  const object = objects[id];
  return object === undefined
    ? refuse(404, "MODEL_OBJECT_NOT_FOUND", `Object with ID '${id}' does not exist.`)
    : { id, ...object };
};

export const readRevision: Handler = (turn) => unchanged(turn, revisionOf(turn));

export const deleteRevision: Handler = (turn) => {
  const revision = revisionOf(turn);
  return { ...withoutRevisions(turn, [revision]), data: revision };
};

const withoutRevisions = (
  turn: Parameters<Handler>[0],
  chosen: readonly { readonly id: number }[],
) => {
  const data = chosen.map((revision) => ({ ...revision }));
  if (turn.controls.dryRun || chosen.length === 0) return unchanged(turn, data);
  const ids = new Set(chosen.map(({ id }) => id));
  const history = turn.appliance.history.filter((_, id) => !ids.has(id));
  return { appliance: { ...turn.appliance, history }, data, effects: PERSIST };
};

export const createToken: Handler = (turn) => {
  const { settings, serverKey } = turn.appliance.configuration;
  const token = issueToken({
    username: turn.client.username,
    seconds: turn.seconds,
    lifetime: Number(settings["jwt_exp"]),
    key: serverKey,
  });
  return unchanged(turn, { token });
};
