import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { type Authority, digestOf, signIn, signingKeyFromSeed } from "@drydock/evidence";
import { APPROVAL_SCHEMA, parseApproval, parseApprovalSignature } from "./approval.js";
import { type Approvers, requireApproval, type ToApprove } from "./require-approval.js";

const NOW = Date.UTC(2026, 10, 30, 12);
const person = signingKeyFromSeed(Buffer.alloc(32, 1));
const of = (name: string) => digestOf(Buffer.from(name));
const WANTED: ToApprove = {
  command: "drydock lab accept --target appliance --seed 1 --repeat 1",
  adapter: of("adapter"),
  target: of("target"),
  deadlineMs: 600_000,
};

const instant = (time: number): string => new Date(time).toISOString().replace(".000Z", "Z");

const GOOD = {
  schema: APPROVAL_SCHEMA,
  class: "HUMAN_APPROVED",
  approver: "owner-of-the-lab",
  command: WANTED.command,
  adapter: WANTED.adapter,
  target: WANTED.target,
  issued_at: instant(NOW),
  expires_at: instant(NOW + 3_600_000),
  nonce: "of-this-morning",
};

const AUTHORITY: Authority = {
  key: person.public,
  roles: [],
  classes: ["HUMAN_APPROVED"],
  namespaces: ["approval"],
  notBefore: "2026-01-01T00:00:00.000Z",
  notAfter: "2027-01-01T00:00:00.000Z",
  revoked: null,
};

interface Changes {
  readonly approval?: Partial<Record<keyof typeof GOOD, unknown>>;
  readonly authority?: Partial<Authority>;
  readonly approvers?: Partial<Approvers>;
  readonly wanted?: Partial<ToApprove>;
  readonly now?: number;
  /** What is shown where `approval` was signed. */
  readonly shown?: Partial<Record<keyof typeof GOOD, unknown>>;
  readonly key?: typeof person;
  readonly namespace?: "approval" | "plan";
}

const asked = (changes: Changes = {}) => {
  const bytes = Buffer.from(JSON.stringify({ ...GOOD, ...changes.approval }));
  const { key = person, namespace = "approval" } = changes;
  const signature = {
    namespace: "approval",
    keyId: key.public.keyId,
    digest: digestOf(bytes),
    value: signIn(namespace, bytes, key).toString("base64"),
  } as const;
  const shown =
    changes.shown === undefined
      ? bytes
      : Buffer.from(JSON.stringify({ ...GOOD, ...changes.approval, ...changes.shown }));
  return requireApproval(
    shown,
    parseApprovalSignature(Buffer.from(JSON.stringify(signature))),
    {
      authorities: [{ ...AUTHORITY, ...changes.authority }],
      machine: [],
      ...changes.approvers,
    },
    { ...WANTED, ...changes.wanted },
    changes.now ?? NOW,
  );
};

const refused = (code: string, changes: Changes): void =>
  assert.throws(() => asked(changes), { code }, JSON.stringify(changes));

describe("an approval", () => {
  test("of a listed person for this very thing is taken", () => {
    assert.deepEqual(asked(), {
      class: "HUMAN_APPROVED",
      approver: GOOD.approver,
      command: GOOD.command,
      adapter: GOOD.adapter,
      target: GOOD.target,
      issuedAt: NOW,
      expiresAt: NOW + 3_600_000,
      nonce: GOOD.nonce,
    });
  });

  test("is for one command, one adapter and one target", () => {
    for (const wanted of [
      { command: "drydock lab accept --target appliance --seed 2 --repeat 1" },
      { command: `${WANTED.command} ` },
      { adapter: of("another") },
      { target: of("another") },
    ])
      refused("LAB_APPROVAL_ELSEWHERE", { wanted });
  });

  test("is for an hour at most, and some", () => {
    const until = (expires: number, deadlineMs: number) => ({
      approval: { expires_at: instant(NOW + expires) },
      wanted: { deadlineMs },
    });
    asked(until(3_600_000, 1));
    asked(until(1_000, 1));
    for (const expires of [3_601_000, 0, -1_000]) refused("LAB_APPROVAL_TIME", until(expires, 1));
  });

  test("begins 30 seconds ahead at most", () => {
    const from = (ahead: number) => ({
      approval: { issued_at: instant(NOW + ahead), expires_at: instant(NOW + 3_600_000) },
    });
    asked(from(30_000));
    asked({ now: NOW - 30_000 });
    refused("LAB_APPROVAL_TIME", from(31_000));
    refused("LAB_APPROVAL_TIME", { now: NOW - 30_001 });
  });

  test("holds until the rehearsal's deadline", () => {
    const ending = (now: number) => ({ now, wanted: { deadlineMs: 600_000 } });
    asked(ending(NOW + 3_000_000));
    refused("LAB_APPROVAL_EXPIRED", ending(NOW + 3_000_001));
    refused("LAB_APPROVAL_EXPIRED", ending(NOW + 3_600_000));
  });

  test("is signed by whom the machine's owner listed for it, while that holds", () => {
    const stranger = signingKeyFromSeed(Buffer.alloc(32, 2));
    asked({ authority: { notAfter: "2026-11-30T12:00:00.001Z" } });
    asked({ authority: { notBefore: "2026-11-30T12:00:00.000Z" } });
    asked({ approvers: { machine: [stranger.public.keyId] } });
    for (const changes of [
      { key: stranger },
      { authority: { namespaces: ["policy", "plan"] as const } },
      { authority: { classes: ["HOST_OBSERVED"] as const } },
      { authority: { revoked: "2026-11-30T11:00:00.000Z" } },
      { authority: { notAfter: "2026-11-30T12:00:00.000Z" } },
      { authority: { notBefore: "2026-11-30T12:00:00.001Z" } },
      { approvers: { authorities: [] } },
      // A program's key is no person's, whoever listed it.
      { approvers: { machine: [person.public.keyId] } },
    ])
      refused("LAB_APPROVAL_SIGNER", changes);
  });

  test("is the bytes that were signed, for this and nothing else", () => {
    for (const changes of [
      { shown: { target: of("another") } },
      { shown: { expires_at: instant(NOW + 3_599_000) } },
      { namespace: "plan" as const },
    ])
      refused("LAB_APPROVAL_SIGNATURE", changes);
  });
});

describe("an approval's file", () => {
  const parse = (value: unknown) => parseApproval(Buffer.from(JSON.stringify(value)));

  test("has exactly its keys", () => {
    parse(GOOD);
    for (const key of Object.keys(GOOD)) {
      const { [key as keyof typeof GOOD]: _, ...rest } = GOOD;
      assert.throws(() => parse(rest), { code: "LAB_APPROVAL_INVALID" }, key);
    }
    assert.throws(() => parse({ ...GOOD, note: "secret-host" }), {
      code: "LAB_APPROVAL_INVALID",
      message: /^the approval is refused at (?!.*secret-host)/,
    });
    const twice = JSON.stringify(GOOD).replace("{", '{"nonce":"x",');
    assert.throws(() => parseApproval(Buffer.from(twice)), { code: "LAB_APPROVAL_INVALID" });
  });

  for (const [key, values] of Object.entries({
    schema: ["drydock.lab-approval/v2", 1],
    class: ["HOST_OBSERVED", "MODEL_CHECKED", null],
    approver: ["", "a b", "x".repeat(129)],
    command: ["", "x".repeat(1025), null],
    adapter: ["0".repeat(64), "sha256:0", 1],
    target: [`sha256:${"A".repeat(64)}`],
    issued_at: ["2026-11-30T12:00:00", "2026-02-30T12:00:00Z", 1],
    expires_at: ["never", "2026-11-30T12:00:00.000Z"],
    nonce: ["", " "],
  }))
    for (const value of values)
      test(`with ${key} ${JSON.stringify(value).slice(0, 30)} is refused there`, () => {
        assert.throws(() => parse({ ...GOOD, [key]: value }), {
          code: "LAB_APPROVAL_INVALID",
          message: new RegExp(`at \\$\\.${key} `),
        });
      });
});

/**
 * The list of approvers has one fixed place, outside of the repository and of every state directory:
 * what could put an approval in force would have to name it.
 */
test("no test, script or workflow of this repository names the list of approvers", () => {
  const root = fileURLToPath(new URL("../../../../", import.meta.url));
  const named = ["etc", "drydock", "approvers"].join("/");
  const files = ["packages", "scripts", ".ci", "bench", "guest", "scenarios"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !/\/(node_modules|dist|bundle)\//.test(path)),
  );
  assert.ok(files.length > 1_000);
  const naming = files.filter((path) => readFileSync(path, "latin1").includes(named));
  assert.deepEqual(naming.map((path) => path.slice(root.length)).sort(), [
    "packages/cli/src/commands/lab/approvers.ts",
  ]);
});
