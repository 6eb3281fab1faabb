import { DrydockError, type JsonObject } from "@drydock/evidence";
import type { Edit } from "../model.js";
import type { ApplianceView, World } from "../world.js";

/** Neither is an operator's text. */
const EDITED_DESCRIPTION = "edited by somebody else";
const EDITED_MEMBER = { address: "192.0.2.99", detail: "added by somebody else" };
const NEIGHBOUR = "LAB_PUT_FIRST";

const ALIAS = "/api/v2/firewall/alias";

/**
 * Somebody at the console, or in the web interface, changes something; returns the appliance as it
 * is then. A stand-in has no two aliases of one name, so that can't be edited into it.
 *
 * @throws DrydockError LAB_CONSOLE
 */
export const editAtConsole = async (
  { appliance, candidate }: Pick<World, "appliance" | "candidate">,
  edit: Edit,
  before: ApplianceView,
): Promise<ApplianceView> => {
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
  edit: Edit,
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
      return {
        method: "POST",
        data: { name: NEIGHBOUR, type: "host", ...lists(EDITED_MEMBER), placement: 0 },
      };
    case "delete":
      return { method: "DELETE", data: { id } };
  }
};

const listIn = (value: JsonObject[string] | undefined): readonly JsonObject[string][] =>
  Array.isArray(value) ? value : [];

const lists = ({ address, detail }: typeof EDITED_MEMBER) => ({
  address: [address],
  detail: [detail],
});
