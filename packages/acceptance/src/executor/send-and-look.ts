import type { JsonObject } from "@drydock/evidence";
import type { CapabilityAdapter } from "../adapter/index.js";
import type { ApplianceRequest, ReadClient, WriteClient } from "../client/index.js";
import type { Cause } from "../contract/index.js";
import { attempt } from "./attempt.js";
import { causeOf } from "./cause.js";
import { judgeSend } from "./judge-send.js";
import { type Observation, observe } from "./observe.js";
import type { Trace } from "./outcome.js";
import { sendOnce } from "./send-once.js";

/** What is known about the target after one send, on either way. */
export type Looked<Target> =
  | { readonly kind: "no-effect"; readonly cause: Cause; readonly trace: Trace }
  | { readonly kind: "unknown"; readonly cause: Cause; readonly trace: Trace }
  | { readonly kind: "seen"; readonly post: Observation<Target>; readonly trace: Trace };

/** Sends one request, and where its answer says yes, reads the target back. */
export const sendAndLook = async <Intent extends JsonObject, Target extends JsonObject>(
  {
    readClient,
    writeClient,
  }: { readonly readClient: ReadClient; readonly writeClient: WriteClient },
  adapter: CapabilityAdapter<Intent, Target>,
  identity: JsonObject,
  request: ApplianceRequest,
): Promise<Looked<Target>> => {
  const answer = await sendOnce(writeClient)(request);
  const judged = judgeSend(answer);
  const trace: Trace = {
    sends: 1,
    delivery: judged.delivery,
    responseUnderstood: null,
    automaticRetry: false,
  };
  if (judged.kind !== "look") return { kind: judged.kind, cause: judged.cause, trace };
  const body = answer.kind === "answered" ? answer.body : null;
  const understood = { ...trace, responseUnderstood: await understands(adapter, body) };
  const post = await attempt(() => observe(adapter, readClient, identity));
  return post.ok
    ? { kind: "seen", post: post.value, trace: understood }
    : { kind: "unknown", cause: causeOf("READBACK_FAILED", post.word), trace: understood };
};

/** Heard and noted; what the target is decides. */
const understands = async <Intent extends JsonObject, Target extends JsonObject>(
  adapter: CapabilityAdapter<Intent, Target>,
  body: unknown,
): Promise<boolean> => (await attempt(() => adapter.parseResponse(body))).ok;
