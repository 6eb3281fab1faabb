import {
  DrydockError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from "@drydock/evidence";
import type { LabCredential } from "../configuration/index.js";
import { type Endpoint, exchange } from "../transport/index.js";
import type { ExitControl } from "./exit.js";

export interface SupervisorOptions {
  readonly endpoint: Endpoint;
  /** Name and password of who may take permissions away, and can change nothing else. */
  readonly supervisor: { readonly name: string; readonly password: string };
  /** Who is to lose them, and the key with which that is tried. */
  readonly lab: { readonly name: string; readonly key: LabCredential };
}

/** What somebody whose permission is gone may not even try; without an id it would change nothing. */
const HARMLESS_PATCH = "{}";

/**
 * Ends a rehearsal over the appliance's own API: the lab's keys are deleted, its account loses every
 * permission, and the API becomes read-only, which over the API can't be undone.
 */
export const supervisorControl = ({
  endpoint,
  supervisor,
  lab,
}: SupervisorOptions): ExitControl => {
  const basic = Buffer.from(`${supervisor.name}:${supervisor.password}`).toString("base64");
  const ask = async (method: string, target: string, body?: JsonObject): Promise<JsonValue> => {
    const result = await exchange(endpoint, {
      method,
      target: `/api/v2${target}`,
      headers: { authorization: `Basic ${basic}`, ...headersFor(body !== undefined) },
      body: body === undefined ? null : Buffer.from(JSON.stringify(body)),
    });
    if (result.kind !== "answered" || result.status !== 200) throw unanswered(method);
    const envelope = parseJson(result.body);
    return isJsonObject(envelope) ? (envelope["data"] ?? null) : null;
  };
  const idOf = async (list: string, field: string): Promise<number | null> => {
    const rows = await ask("GET", list);
    if (!Array.isArray(rows)) throw unanswered("GET");
    const found = rows.find((row) => isJsonObject(row) && row[field] === lab.name);
    return isJsonObject(found ?? null) ? Number((found as JsonObject)["id"]) : null;
  };
  return {
    async revoke() {
      // Ids are places in a list: each deletion moves what stands behind.
      for (;;) {
        const key = await idOf("/auth/keys", "username");
        if (key === null) break;
        await ask("DELETE", `/auth/key?id=${key}`);
      }
      const user = await idOf("/users", "name");
      if (user !== null) await ask("PATCH", "/user", { id: user, priv: [] });
      // Last: nothing can be changed over the API from then on.
      await ask("PATCH", "/system/restapi/settings", { read_only: true });
    },
    async tryLabKey() {
      const result = await exchange(endpoint, {
        method: "PATCH",
        target: "/api/v2/firewall/alias",
        headers: { "x-api-key": lab.key.reveal(), ...headersFor(true) },
        body: Buffer.from(HARMLESS_PATCH),
      });
      return result.kind === "answered" ? result.status : null;
    },
    async isReadOnly() {
      const settings = await ask("GET", "/system/restapi/settings");
      return isJsonObject(settings) && settings["read_only"] === true;
    },
  };
};

/** A request that says it is JSON has its query ignored. */
const headersFor = (hasBody: boolean): Readonly<Record<string, string>> => ({
  accept: "application/json",
  ...(hasBody ? { "content-type": "application/json" } : {}),
});

const unanswered = (method: string): DrydockError =>
  new DrydockError(
    "LAB_REVOCATION",
    `the appliance didn't do what the supervisor's ${method} asks`,
    {
      fix: "Take the lab's permission away by hand, now.",
    },
  );
