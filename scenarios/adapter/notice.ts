/**
 * An adapter as its author hands it over: one file, the toolkit as its only import, and beside the
 * adapter a specimen that the kit can try it on. `drydock lab conformance scenarios/adapter/notice.ts`
 */
import {
  AdapterError,
  type AdapterErrorCode,
  type CapabilityAdapter,
  canonicalise,
} from "drydock/adapter";

interface Notice {
  readonly [key: string]: string | number;
  readonly headline: string;
  readonly priority: number;
  readonly audience: string;
}

interface Intent {
  readonly [key: string]: string | number;
  readonly operation: "set_synthetic_notice_v1";
  readonly headline: string;
  readonly priority: number;
}

/** Exactly these keys, or the code. */
const closed = (
  value: unknown,
  keys: readonly string[],
  code: AdapterErrorCode,
): Record<string, unknown> => {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new AdapterError(code);
  const given = Object.keys(value).sort();
  if (given.join() !== [...keys].sort().join()) throw new AdapterError(code);
  return value as Record<string, unknown>;
};

const isHeadline = (value: unknown): value is string =>
  typeof value === "string" && value.isWellFormed() && /^[^\p{C}\p{Zl}\p{Zp}]{1,80}$/u.test(value);

const isPriority = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 9;

const parseNotice = (value: unknown, code: AdapterErrorCode): Notice => {
  const { headline, priority, audience } = closed(
    value,
    ["headline", "priority", "audience"],
    code,
  );
  const sound =
    isHeadline(headline) &&
    headline === headline.normalize("NFC") &&
    isPriority(priority) &&
    (audience === "staff" || audience === "everyone");
  if (!sound) throw new AdapterError(code);
  return { headline, priority, audience };
};

const noticeOf = (body: unknown): Notice => {
  const keys = ["code", "status", "response_id", "message", "data"];
  const { code, response_id, data } = closed(body, keys, "ANSWER_INVALID");
  if (code !== 200 || response_id !== "SUCCESS") throw new AdapterError("ANSWER_INVALID");
  return parseNotice(data, "ANSWER_INVALID");
};

const identity = { singleton: "notice" };
const same = (a: unknown, b: unknown): boolean => canonicalise(a) === canonicalise(b);
const wanted = (target: Notice, { headline, priority }: Intent): Notice => ({
  headline,
  priority,
  audience: target.audience,
});
const put = ({ headline, priority, audience }: Notice) => ({
  method: "PUT" as const,
  endpoint: "SYNTHETIC_NOTICE" as const,
  body: { headline, priority, audience },
});

export const adapter: CapabilityAdapter<Intent, Notice> = {
  semanticUnit: "set_synthetic_notice_v1",
  capability: "SYNTHETIC_NOTICE_WRITE",
  endpointSymbol: "SYNTHETIC_NOTICE",
  httpMethod: "PUT",
  rollbackPlanVersion: "synthetic-notice-rollback-v1",
  parseIntent: (value) => {
    const { operation, headline, priority } = closed(
      value,
      ["operation", "headline", "priority"],
      "INTENT_INVALID",
    );
    const text = typeof headline === "string" ? headline.normalize("NFC") : headline;
    const sound =
      operation === "set_synthetic_notice_v1" && isHeadline(text) && isPriority(priority);
    if (!sound) throw new AdapterError("INTENT_INVALID");
    return { operation, headline: text, priority };
  },
  parseTarget: (value) => parseNotice(value, "SNAPSHOT_INVALID"),
  naturalIdentity: () => identity,
  identityOf: () => identity,
  readTarget: async (client, wantedIdentity) => {
    if (!same(wantedIdentity, identity)) throw new AdapterError("IDENTITY_INVALID");
    const { status, body } = await client.get("/api/v2/synthetic/notice");
    if (status === 404) throw new AdapterError("TARGET_ABSENT");
    if (status !== 200) throw new AdapterError("READ_REFUSED");
    return noticeOf(body);
  },
  fingerprint: ({ headline, priority, audience }) => ({ headline, priority, audience }),
  transportLocator: () => 0,
  buildRequest: (intent, target) => {
    if (same(wanted(target, intent), target)) throw new AdapterError("INTENT_CHANGES_NOTHING");
    return put(wanted(target, intent));
  },
  parseResponse: noticeOf,
  isSemanticallyVerified: (pre, post, intent) => same(wanted(pre, intent), post),
  buildRollbackRequest: (snapshot) => put(snapshot),
  isRollbackVerified: same,
};

export const specimen = {
  appliance: {
    kind: "singleton",
    endpoint: "SYNTHETIC_NOTICE",
    readPath: "/api/v2/synthetic/notice",
    object: { headline: "all is well", priority: 1, audience: "staff" },
  },
  intents: [
    { operation: "set_synthetic_notice_v1", headline: "closed today", priority: 5 },
    { operation: "set_synthetic_notice_v1", headline: "open again", priority: 2 },
  ],
  changes: ["headline", "priority"],
};
