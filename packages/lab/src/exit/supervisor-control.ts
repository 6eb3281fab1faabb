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

export interface SupervisorControl extends ExitControl {
  /**
   * What the lab's account may do, as the appliance has it.
   *
   * @throws DrydockError LAB_REVOCATION when it doesn't say so
   */
  privileges(): Promise<readonly string[]>;
}

/** What somebody whose permission is gone may not even try; without an id it would change nothing. */
const HARMLESS_PATCH = "{}";

/** An identity of a lab has one. A list that is never empty isn't gone through for ever. */
const MAX_KEYS = 32;

/**
 * Ends a rehearsal over the appliance's own API: the lab's account loses every permission, its keys
 * are deleted, and the API becomes read-only, which over the API can't be undone.
 */
export const supervisorControl = ({
  endpoint,
  supervisor,
  lab,
}: SupervisorOptions): SupervisorControl => {
  const basic = Buffer.from(`${supervisor.name}:${supervisor.password}`).toString("base64");
  const ask = async (method: string, target: string, body?: JsonObject): Promise<JsonValue> => {
    const result = await exchange(endpoint, {
      method,
      target: `/api/v2${target}`,
      headers: { authorization: `Basic ${basic}`, ...headersFor(body !== undefined) },
      body: body === undefined ? null : Buffer.from(JSON.stringify(body)),
    });
    if (result.kind !== "answered" || result.status !== 200) throw undone(method);
    const envelope = parseJson(result.body);
    return isJsonObject(envelope) ? (envelope["data"] ?? null) : null;
  };
  const find = async (list: string, field: string): Promise<JsonObject | null> => {
    const rows = await ask("GET", list);
    if (!Array.isArray(rows)) throw undone("GET");
    return rows.filter(isJsonObject).find((row) => row[field] === lab.name) ?? null;
  };
  const removeKeys = async (): Promise<void> => {
    // Ids are places in a list: each deletion moves what stands behind.
    for (let deleted = 0; deleted <= MAX_KEYS; deleted += 1) {
      const key = await find("/auth/keys", "username");
      if (key === null) return;
      await ask("DELETE", `/auth/key?id=${idOf(key)}`);
    }
    throw undone("DELETE");
  };
  const removePrivileges = async (): Promise<void> => {
    const user = await find("/users", "name");
    if (user !== null) await ask("PATCH", "/user", { id: idOf(user), priv: [] });
  };
  return {
    async privileges() {
      const held = (await find("/users", "name"))?.["priv"];
      if (!Array.isArray(held) || !held.every((name) => typeof name === "string"))
        throw undone("GET");
      return held;
    },
    async revoke() {
      await allOf([
        removePrivileges,
        removeKeys,
        // Last: nothing can be changed over the API from then on.
        async () => void (await ask("PATCH", "/system/restapi/settings", { read_only: true })),
      ]);
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

/** One after the other, also when one fails: each takes away something. The first error is thrown. */
const allOf = async (steps: readonly (() => Promise<void>)[]): Promise<void> => {
  const errors: unknown[] = [];
  for (const step of steps)
    try {
      await step();
    } catch (error) {
      errors.push(error);
    }
  if (errors.length > 0) throw errors[0];
};

/** What isn't a place in a list isn't sent as one: it could be taken for another's. */
const idOf = ({ id }: JsonObject): number => {
  if (typeof id === "number" && Number.isSafeInteger(id) && id >= 0) return id;
  throw undone("GET");
};

/** A request that says it is JSON has its query ignored. */
const headersFor = (hasBody: boolean): Readonly<Record<string, string>> => ({
  accept: "application/json",
  ...(hasBody ? { "content-type": "application/json" } : {}),
});

const undone = (method: string): DrydockError =>
  new DrydockError(
    "LAB_REVOCATION",
    `the appliance didn't do what the supervisor's ${method} asks`,
    {
      fix: "Take the lab's permission away by hand, now.",
    },
  );
