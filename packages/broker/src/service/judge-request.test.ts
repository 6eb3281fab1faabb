import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DEFAULT_LIMITS, type RequestRule } from "../policy/index.js";
import { createRequestReader } from "../request/index.js";
import { systemTimers } from "../system-timers.js";
import { reach } from "./reach.js";
import { createSlots } from "./slots.js";

const RULES: readonly RequestRule[] = [
  { methods: ["GET", "HEAD"], path: "/public/" },
  { methods: ["POST"], path: "/hook" },
];

const ASKED = { source: "asked", ageMs: 0, queries: 2, ms: 1 } as const;

/** How a request to an `http` authority ends, and how many look-ups it took. */
const ask = async (line: string, requests: readonly RequestRule[] | null) => {
  const step = createRequestReader(DEFAULT_LIMITS).push(
    Buffer.from(`${line} HTTP/1.1\r\nHost: a.example\r\n\r\n`, "latin1"),
  );
  assert.ok(step.kind === "absolute", line);
  let lookUps = 0;
  const grant = {
    authority: step.authority,
    protocol: "http",
    purpose: "test",
    allowEch: false,
    terminate: false,
    requests,
    line: 7,
  } as const;
  const reached = await reach(step, new AbortController().signal, {
    policy: { grants: [grant], resolvers: [], limits: DEFAULT_LIMITS, digest: "" },
    resolver: {
      resolve: async () => {
        lookUps++;
        return { kind: "refused", reason: "DNS_NO_NAME", ...ASKED };
      },
    },
    dial: () => assert.fail("nothing was found that could be dialled"),
    lookups: createSlots(1),
    timers: systemTimers,
  });
  return { reason: reached.kind === "refused" ? reached.reason : reached.kind, lookUps };
};

describe("a request of the protocol http", () => {
  for (const [line, requests] of [
    ["GET http://a.example/public/x?y", RULES],
    ["HEAD http://a.example/public/", RULES],
    ["POST http://a.example/hook", RULES],
    ["DELETE http://a.example/anything", null],
    ["GET http://a.example//x", null],
  ] as const) {
    it(`${line} is looked up`, async () => {
      assert.deepEqual(await ask(line, requests), { reason: "DNS_NO_NAME", lookUps: 1 });
    });
  }

  for (const [line, requests, reason] of [
    ["POST http://a.example/public/x", RULES, "RULE_NOT_GRANTED"],
    ["GET http://a.example/hook", RULES, "RULE_NOT_GRANTED"],
    ["POST http://a.example/hook/", RULES, "RULE_NOT_GRANTED"],
    ["GET http://a.example/PUBLIC/x", RULES, "RULE_NOT_GRANTED"],
    ["GET http://a.example/", RULES, "RULE_NOT_GRANTED"],
    ["GET http://a.example/x?/public/", RULES, "RULE_NOT_GRANTED"],
    ["GET http://a.example/public/x", [], "RULE_NOT_GRANTED"],
    ["GET http://a.example/public/%2f/x", RULES, "PATH_AMBIGUOUS"],
    ["GET http://a.example/public//x", RULES, "PATH_AMBIGUOUS"],
    ["GET http://a.example/public/%252e%252e/x", RULES, "PATH_AMBIGUOUS"],
  ] as const) {
    it(`${line} isn't, beside ${requests.length} rules`, async () => {
      assert.deepEqual(await ask(line, requests), { reason, lookUps: 0 });
    });
  }
});
