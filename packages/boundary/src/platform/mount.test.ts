import assert from "node:assert/strict";
import { test } from "node:test";
import { isDrydockError } from "@drydock/evidence";
import { platformFile } from "../testing/platform-file.js";
import { parsePlatform } from "./index.js";

const FILE = platformFile(`lab@sha256:${"1".repeat(64)}`);

/** Of the egress anchor, which stands last. */
const withMounts = (mounts: readonly object[]) =>
  parsePlatform(Buffer.from(`${FILE}    mounts: ${JSON.stringify(mounts)}\n`), {
    file: "platform.yaml",
  }).anchors.egress.mounts;

const POLICY = { source: "given/policy.yaml", target: "/etc/appliance/policy.yaml" };
const RECEIPT = { source: "receipt", target: "/run/boundary" };

test("an anchor's mounts are read as they stand, and none is none", () => {
  assert.deepEqual(withMounts([POLICY, RECEIPT]), [POLICY, RECEIPT]);
  const { anchors } = parsePlatform(Buffer.from(FILE), { file: "platform.yaml" });
  assert.deepEqual(anchors.egress.mounts, []);
});

const refusalOf = (mounts: readonly object[]): string => {
  try {
    withMounts(mounts);
  } catch (error) {
    if (isDrydockError(error)) return error.message;
    throw error;
  }
  return "";
};

for (const [what, mount, part] of [
  ["an absolute source", { source: "/etc" }, "source"],
  ["a source that leaves its directory", { source: "given/../../etc" }, "source"],
  ["a source with a second spelling", { source: "./receipt" }, "source"],
  ["the directory itself", { source: "." }, "source"],
  ["an empty segment", { source: "given//receipt" }, "source"],
  ["a relative target", { target: "run/boundary" }, "target"],
  ["the root", { target: "/" }, "target"],
  ["a target with a second spelling", { target: "/run/../run/boundary" }, "target"],
  ["a target that ends in a slash", { target: "/run/boundary/" }, "target"],
  ["the kernel's files", { target: "/proc/sys" }, "target"],
  ["devices", { target: "/dev" }, "target"],
  ["another mount's target", { target: POLICY.target }, "target"],
  ["a target above another's", { target: "/etc" }, "target"],
  ["a target below another's", { target: `${POLICY.target}/more` }, "target"],
] as const) {
  test(`${what} is refused`, () => {
    const said = refusalOf([POLICY, { ...RECEIPT, ...mount }]);
    assert.match(said, new RegExp(`: PLATFORM_MOUNT_INVALID: the ${part} `));
    assert.equal(said.split("\n").length, 1, said);
  });
}

test("nothing about it can be said but source and target", () => {
  assert.match(refusalOf([{ ...RECEIPT, writable: true }]), /writable/);
});
