import { DrydockError, type JsonObject } from "@drydock/evidence";
import type { Edit } from "../model.js";
import type { ApplianceView, World } from "../world.js";

/** Neither is an operator's text. */
const EDITED_DESCRIPTION = "edited by somebody else";
const EDITED_MEMBER = { address: "192.0.2.99", detail: "added by somebody else" };
const NEIGHBOUR = {
  ...{ name: "LAB_NEIGHBOUR", type: "host" },
  ...{ address: [EDITED_MEMBER.address], detail: [EDITED_MEMBER.detail] },
};

const ALIAS = "/api/v2/firewall/alias";

/**
 * Somebody at the console, or in the web interface, changes something; returns the appliance as it
 * is then. Two aliases of one name are refused there, and written into the configuration's file.
 *
 * @throws DrydockError LAB_CONSOLE, LAB_COMMAND
 */
export const editAtConsole = async (
  { appliance, candidate }: Pick<World, "appliance" | "candidate">,
  edit: Edit,
  before: ApplianceView,
): Promise<ApplianceView> => {
  if (edit === "duplicate") {
    await appliance.duplicateAlias(candidate);
    return await appliance.snapshot();
  }
  const { aliases } = (await appliance.snapshot()).configuration;
  const id = aliases.findIndex(({ name }) => name === candidate);
  const { method, data } = requestFor(edit, id, {
    now: aliases[id] ?? {},
    was: before.configuration.aliases.find(({ name }) => name === candidate) ?? {},
  });
  const answer = await appliance.atConsole(method, ALIAS, data);
  if (answer?.status !== 200)
    throw new DrydockError("LAB_CONSOLE", `the console answered ${answer?.status} to ${edit}`);
  return await appliance.snapshot();
};

const requestFor = (
  edit: Exclude<Edit, "duplicate">,
  id: number,
  { now, was }: { readonly now: JsonObject; readonly was: JsonObject },
): { readonly method: string; readonly data: JsonObject } => {
  switch (edit) {
    case "description":
      return { method: "PATCH", data: { id, descr: EDITED_DESCRIPTION } };
    case "put-back":
      return { method: "PATCH", data: { id, descr: was["descr"] ?? "" } };
    case "members":
      return {
        method: "PATCH",
        data: {
          id,
          address: [...listIn(now["address"]), EDITED_MEMBER.address],
          detail: [...listIn(now["detail"]), EDITED_MEMBER.detail],
        },
      };
    case "renumber":
      return { method: "POST", data: { ...NEIGHBOUR, placement: 0 } };
    case "neighbour":
      return { method: "POST", data: NEIGHBOUR };
    case "delete":
      return { method: "DELETE", data: { id } };
  }
};

const listIn = (value: JsonObject[string] | undefined): readonly JsonObject[string][] =>
  Array.isArray(value) ? value : [];
