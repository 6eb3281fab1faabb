import { canonicalise } from "@drydock/evidence";
import { AdapterError, type CapabilityAdapter } from "../../adapter/index.js";
import type { ApplianceRequest } from "../../client/index.js";
import {
  IDENTITY,
  type Notice,
  type NoticeIntent,
  noticeOf,
  parseIdentity,
  parseNotice,
  parseNoticeIntent,
  SEMANTIC_UNIT,
} from "./notice.js";

/** PUT replaces: what isn't to change has to be sent as it is. */
const put = ({ headline, priority, audience }: Notice): ApplianceRequest => ({
  method: "PUT",
  endpoint: "SYNTHETIC_NOTICE",
  body: { headline, priority, audience },
});

const wanted = (target: Notice, { headline, priority }: NoticeIntent): Notice => ({
  ...target,
  headline,
  priority,
});

const same = (a: Notice, b: Notice): boolean => canonicalise(a) === canonicalise(b);

/**
 * Of a shape that is unlike an alias in everything: one object that is always there and has no
 * number, two fields at once, and a PUT of the whole. No appliance has it; what rests on contracts
 * and executor alone has to hold for it as well.
 */
export const syntheticNotice = Object.freeze<CapabilityAdapter<NoticeIntent, Notice>>({
  semanticUnit: SEMANTIC_UNIT,
  capability: "SYNTHETIC_NOTICE_WRITE",
  endpointSymbol: "SYNTHETIC_NOTICE",
  httpMethod: "PUT",
  rollbackPlanVersion: "synthetic-notice-rollback-v1",
  parseIntent: (value) => parseNoticeIntent(value, "INTENT_INVALID"),
  parseTarget: (value) => parseNotice(value, "SNAPSHOT_INVALID"),
  naturalIdentity: () => IDENTITY,
  identityOf: () => IDENTITY,
  readTarget: async (client, identity) => {
    parseIdentity(identity, "IDENTITY_INVALID");
    const { status, body } = await client.get("/api/v2/synthetic/notice");
    if (status === 404) throw new AdapterError("TARGET_ABSENT");
    if (status !== 200) throw new AdapterError("READ_REFUSED");
    return noticeOf(body);
  },
  fingerprint: ({ headline, priority, audience }) => ({ headline, priority, audience }),
  transportLocator: () => 0,
  buildRequest: (intent, target) => {
    const aim = wanted(target, intent);
    if (same(aim, target)) throw new AdapterError("INTENT_CHANGES_NOTHING");
    return put(aim);
  },
  parseResponse: noticeOf,
  isSemanticallyVerified: (pre, post, intent) => same(wanted(pre, intent), post),
  // What the snapshot doesn't own, the conflict check before has shown to be the same.
  buildRollbackRequest: (snapshot) => put(snapshot),
  isRollbackVerified: same,
});
