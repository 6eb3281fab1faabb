import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ARTIFACT_KINDS, releaseManifestBytes, verifyRelease } from "@drydock/boundary";
import { digestOf, importPublicKey } from "@drydock/evidence";
import { testHome } from "../testing/home.js";

const IMAGE = `registry.test/image@sha256:${"a".repeat(64)}`;

const manifest = releaseManifestBytes({
  releaseId: "seat-1.0.0",
  artifacts: ARTIFACT_KINDS.map((kind) => ({
    id: kind,
    kind,
    path: `${kind}.json`,
    digest: digestOf(Buffer.from(kind)),
    bytes: kind.length,
  })),
  profile: { id: "guided-purple", version: 1 },
  helperImage: IMAGE,
  proxyImage: IMAGE,
});

test("a release is signed, and verifies by the key that was exported", async (t) => {
  const home = testHome(t);
  const file = join(home.directory, "..", "manifest.json");
  assert.equal((await home.run(["keys", "init"])).code, 0);
  const pem = (await home.run(["keys", "export", "--pem"])).stdout;
  const key = importPublicKey(Buffer.from(pem.split("\n").slice(1, -2).join(""), "base64"));

  writeFileSync(file, manifest);
  const signed = await home.run(["sign", file, "--namespace", "release"]);
  assert.equal(signed.code, 0, signed.stderr);
  const release = verifyRelease(manifest, Buffer.from(signed.stdout), key);
  assert.equal(release.releaseId, "seat-1.0.0");

  writeFileSync(file, `${manifest.toString("utf8")}\n`);
  const refused = await home.run(["sign", file, "--namespace", "release"]);
  assert.equal(refused.stdout, "");
  assert.match(refused.stderr, /RELEASE_INVALID/);
});
