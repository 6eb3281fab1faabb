import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { isDrydockError } from "@drydock/evidence";
import { profile } from "@drydock/testkit";
import { ARTIFACT_ROLES, type ProtectedArtifacts } from "../contract/index.js";
import { contractKey } from "./contract-key.js";
import { openArtifact } from "./open.js";
import { sealArtifacts } from "./seal.js";

const MASTER = Buffer.alloc(32, 9);
const keys = { master: MASTER, entropy: (length: number) => randomBytes(length) };
const VALUES = {
  identity: { alias_name: "LAB_A" },
  intent: { description: "secret intent" },
  snapshot: { descr: "e\u0301", address: ["192.0.2.1"] },
};

const seal = (id = "c1"): ProtectedArtifacts => sealArtifacts(id, VALUES, keys);

const open = (
  artifacts: ProtectedArtifacts,
  { id = "c1", role = "intent" as const, master = MASTER } = {},
): unknown => {
  try {
    return openArtifact({ contractId: id, artifacts }, role, master);
  } catch (error) {
    if (isDrydockError(error)) return error.code;
    throw error;
  }
};

test("what is sealed opens again, in its one spelling, and can't be read in between", () => {
  const artifacts = seal();
  for (const role of ARTIFACT_ROLES) {
    const opened = openArtifact({ contractId: "c1", artifacts }, role, MASTER);
    assert.deepEqual(opened, JSON.parse(JSON.stringify(VALUES[role]).normalize("NFC")));
    assert.doesNotMatch(Buffer.from(artifacts[role], "base64").toString("latin1"), /secret|LAB_A/);
  }
});

test("the trap of the shared key: no nonce is used twice under a key, for two contracts, two seals of one id, or two stores", () => {
  const seen = new Set<string>();
  const count = Math.max(100, profile.fuzz / 10);
  for (let index = 0; index < count; index += 1) {
    for (const id of ["same", `c${index}`]) {
      const artifacts = seal(id);
      const key = contractKey(MASTER, id, Buffer.from(artifacts.salt, "hex"));
      for (const role of ARTIFACT_ROLES) {
        const nonce = Buffer.from(artifacts[role], "base64").subarray(0, 12).toString("hex");
        const pair = `${Buffer.from(key).toString("hex")} ${nonce}`;
        assert.ok(!seen.has(pair), `${id} ${role}`);
        seen.add(pair);
      }
    }
  }
  assert.equal(seen.size, count * 2 * 3);
});

test("a nonce is four bytes of epoch and eight of a counter", () => {
  const artifacts = seal();
  assert.deepEqual(
    ARTIFACT_ROLES.map((role) =>
      Buffer.from(artifacts[role], "base64").subarray(0, 12).toString("hex"),
    ),
    ["000000000000000000000001", "000000000000000000000002", "000000000000000000000003"],
  );
});

test("an artifact opens for its contract, role, key and salt alone", () => {
  const artifacts = seal();
  assert.deepEqual(open(artifacts), VALUES.intent);
  assert.equal(open(artifacts, { id: "c2" }), "ARTIFACT_UNREADABLE");
  assert.equal(open(artifacts, { master: Buffer.alloc(32, 8) }), "ARTIFACT_UNREADABLE");
  assert.equal(open({ ...artifacts, intent: artifacts.snapshot }), "ARTIFACT_UNREADABLE");
  assert.equal(open({ ...artifacts, salt: seal().salt }), "ARTIFACT_UNREADABLE");
  assert.equal(open({ ...artifacts, intent: seal().intent }), "ARTIFACT_UNREADABLE");
});

test("a snapshot under the intent's nonce isn't the intent", () => {
  const artifacts = seal();
  const snapshot = Buffer.from(artifacts.snapshot, "base64");
  const intent = Buffer.from(artifacts.intent, "base64");
  const forged = Buffer.concat([intent.subarray(0, 12), snapshot.subarray(12)]).toString("base64");
  assert.equal(open({ ...artifacts, intent: forged }), "ARTIFACT_UNREADABLE");
});

test("every byte counts, and so does every byte that is missing", () => {
  const artifacts = seal();
  const bytes = Buffer.from(artifacts.intent, "base64");
  for (let index = 0; index < bytes.length; index += 1) {
    const flipped = Buffer.from(bytes);
    flipped.writeUInt8(flipped.readUInt8(index) ^ 1, index);
    assert.equal(
      open({ ...artifacts, intent: flipped.toString("base64") }),
      "ARTIFACT_UNREADABLE",
      `byte ${index}`,
    );
    const short = bytes.subarray(0, index).toString("base64");
    assert.equal(open({ ...artifacts, intent: short }), "ARTIFACT_UNREADABLE");
  }
});

test("32 bytes are a key and 31 aren't; 32 are a salt and 31 aren't", () => {
  const code = (master: number, salt: number): string => {
    try {
      sealArtifacts("c1", VALUES, {
        master: Buffer.alloc(master),
        entropy: () => Buffer.alloc(salt),
      });
      return "sealed";
    } catch (error) {
      if (isDrydockError(error)) return error.code;
      throw error;
    }
  };
  assert.equal(code(32, 32), "sealed");
  assert.equal(code(31, 32), "ARTIFACT_KEY");
  assert.equal(code(32, 31), "ARTIFACT_KEY");
});
