import type { JsonObject, JsonValue } from "@drydock/evidence";
import {
  type ApiAnswer,
  ApiRefusal,
  refusalAnswer,
  refuse,
  success,
  unexpectedError,
} from "./answer/index.js";
import { type Appliance, applied, FIREWALL_SUBSYSTEMS } from "./configuration/index.js";
import { type Effect, type Endpoint, endpointAt } from "./endpoint/index.js";
import { type Admitted, type ApiCall, admit, takeControls, WrongShape } from "./request/index.js";

export type ApplianceEvent =
  | { readonly kind: "request"; readonly call: ApiCall }
  /** Somebody at the console or in the web interface: no check of the API is in the way. */
  | { readonly kind: "console"; readonly call: ConsoleCall }
  /** The rules were loaded anew, as an effect asked for. */
  | { readonly kind: "reloaded" }
  /** Started again from what was kept: whatever was in memory is gone, and the rules are loaded. */
  | { readonly kind: "restarted" }
  /** Somebody else begins to write the configuration file, or has ended. */
  | { readonly kind: "write-lock"; readonly held: boolean };

export interface ConsoleCall extends Pick<ApiCall, "method" | "path" | "seconds" | "entropy"> {
  readonly data: JsonObject | readonly JsonValue[];
}

export interface Step {
  readonly appliance: Appliance;
  /** To a request; null where the API has nothing at that path, and to every other event. */
  readonly answer: ApiAnswer | null;
  readonly effects: readonly Effect[];
}

/** The whole of the appliance's behaviour: what an event makes of it, and how it answers. */
export const step = (appliance: Appliance, event: ApplianceEvent): Step => {
  switch (event.kind) {
    case "request":
      return answerTo(appliance, event.call);
    case "console":
      return answerConsole(appliance, event.call);
    case "reloaded":
      return silent(applied(appliance, FIREWALL_SUBSYSTEMS));
    case "restarted":
      return silent({ ...appliance, pending: [], writeLocked: false });
    case "write-lock":
      return silent({ ...appliance, writeLocked: event.held });
  }
};

const silent = (appliance: Appliance): Step => ({ appliance, answer: null, effects: [] });

const answerTo = (appliance: Appliance, call: ApiCall): Step => {
  const endpoint = endpointAt(call.path);
  if (endpoint === null) return silent(appliance);
  if (call.method === "OPTIONS") {
    return { ...silent(appliance), answer: success([], { allow: endpoint.methods.join(", ") }) };
  }
  return handled(appliance, endpoint, call, () => admit(call, endpoint, appliance));
};

const CONSOLE = { username: "(console)", address: "(console)" } as const;

const answerConsole = (appliance: Appliance, call: ConsoleCall): Step => {
  const endpoint = endpointAt(call.path);
  if (endpoint === null) return silent(appliance);
  return handled(appliance, endpoint, call, () => ({
    client: CONSOLE,
    ...takeControls(call.data, { prefer: "" }, appliance.behaviour),
  }));
};

const handled = (
  appliance: Appliance,
  { path, handlers }: Endpoint,
  { method, seconds, entropy }: Pick<ApiCall, "method" | "seconds" | "entropy">,
  admitted: () => Admitted,
): Step => {
  try {
    const turn = { ...admitted(), appliance, seconds, entropy };
    const handler = handlers[method as keyof typeof handlers];
    if (handler === undefined) {
      refuse(405, "ENDPOINT_METHOD_NOT_ALLOWED", `${path} hasn't the method ${method}`);
      return silent(appliance);
    }
    const { data, ...outcome } = handler(turn);
    return { ...outcome, answer: success(data) };
  } catch (error) {
    if (error instanceof ApiRefusal) return { ...silent(appliance), answer: refusalAnswer(error) };
    if (error instanceof WrongShape) {
      return { ...silent(appliance), answer: unexpectedError(error.message) };
    }
    throw error;
  }
};
