// Makes the release of the example appliance: DIRECTORY with policy.yaml, IMAGE as name@sha256:….
// Writes manifest.json, its signature, and the public key of an owner made on the spot, whose
// private half is never written.
import { createHash, generateKeyPairSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  ARTIFACT_KINDS,
  releaseManifestBytes,
  signRelease,
} from "../packages/boundary/dist/index.js";
import { signingKeyFromPem } from "../packages/evidence/dist/index.js";

const [directory, image] = process.argv.slice(2);
if (directory === undefined || image === undefined) {
  console.error("usage: example-release.mjs DIRECTORY NAME@sha256:DIGEST");
  process.exit(2);
}
const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const key = signingKeyFromPem(privateKey.export({ format: "pem", type: "pkcs8" }));
const policy = readFileSync(join(directory, "policy.yaml"));
// The example has a policy. Its other artifacts are a line each that says so.
const artifacts = ARTIFACT_KINDS.map((kind) => {
  const isPolicy = kind === "boundary-policy";
  const bytes = isPolicy ? policy : Buffer.from(`The example has no ${kind}.\n`);
  const path = isPolicy ? "policy.yaml" : `${kind}.txt`;
  if (!isPolicy) writeFileSync(join(directory, path), bytes);
  const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  return { id: kind, kind, path, digest, bytes: bytes.length };
});
const manifest = releaseManifestBytes({
  releaseId: "example-1",
  artifacts,
  profile: { id: "example", version: 1 },
  helperImage: image,
  proxyImage: image,
});
writeFileSync(join(directory, "manifest.json"), manifest);
writeFileSync(join(directory, "manifest.sig.json"), signRelease(manifest, key));
writeFileSync(join(directory, "owner.pem"), publicKey.export({ format: "pem", type: "spki" }));
