import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import {
  canonicalBytes,
  digestOf,
  type SigningKey,
  signIn,
  signingKeyFromSeed,
} from "@drydock/evidence";
import { temporaryDirectory } from "@drydock/testkit";
import { startEngineLab } from "../testing/engine-lab.js";
import { POLICY_FILE } from "../testing/index.js";
import { signReadbackReceipt } from "./receipt.js";

const run = promisify(execFile);
const SCRIPT = fileURLToPath(new URL("../../../../scripts/appliance-images", import.meta.url));
/** Builds the bundle first, if nobody has. */
const SCRIPT_MS = 300_000;
const START_MS = 20_000;

const OWNER = signingKeyFromSeed(Buffer.alloc(32, 1));
const READER = signingKeyFromSeed(Buffer.alloc(32, 2));
/** An hour, so that no machine is too slow for it. */
const POLICY = Buffer.from(
  POLICY_FILE.replace(/(?<="observation_freshness_seconds": )\d+/, "3600"),
);

const pemOf = ({ public: { object } }: SigningKey) =>
  object.export({ format: "pem", type: "spki" }).toString();

test("images made of this tree: the helper idles, and the broker lets nothing out before the boundary was read back", async (t) => {
  const directory = temporaryDirectory(t);
  const lab = await startEngineLab(t);
  const images = join(directory, "images");
  await run(SCRIPT, [images], { timeout: SCRIPT_MS });
  const helper = await lab.docker("import", join(images, "helper.tar"));
  const proxy = await lab.docker(
    ...["import", "--change", "ENV DRYDOCK_HOME=/var/lib/drydock"],
    ...[
      "--change",
      'ENTRYPOINT ["/usr/bin/node", "/opt/drydock/bundle/drydock.cjs", "egress", "serve"]',
    ],
    join(images, "proxy.tar"),
  );
  assert.match(await lab.docker("run", "--network", "none", helper, "/bin/uname"), /Linux/);

  const given = join(directory, "given");
  mkdirSync(given);
  const put = (name: string, bytes: string | Uint8Array) => writeFileSync(join(given, name), bytes);
  const signed = canonicalBytes(JSON.parse(POLICY.toString("utf8")));
  put("policy.json", POLICY);
  put(
    "policy.json.sig",
    JSON.stringify({
      namespace: "policy",
      keyId: OWNER.public.keyId,
      digest: digestOf(signed),
      value: signIn("policy", signed, OWNER).toString("base64"),
    }),
  );
  put("owner.pem", pemOf(OWNER));
  put("reader.pem", pemOf(READER));
  await lab.docker("network", "create", "--subnet", "10.88.0.0/24", "egress");
  const id = await lab.docker(
    ...["run", "-d", "--network", "egress", "--ip", "10.88.0.9", "--read-only"],
    ...["-v", `${given}:/given:ro`, proxy, "--listen", "0.0.0.0:3128"],
    ...["--policy", "/given/policy.json", "--key", "/given/owner.pem"],
    ...["--require-readback", "/given/receipt", "--readback-key", "/given/reader.pem"],
  );
  const ask = (): Promise<string> =>
    lab.run([
      ...["sh", "-c"],
      "printf 'CONNECT unlisted.example.com:443 HTTP/1.1\\r\\n\\r\\n' | busybox nc -w 5 10.88.0.9 3128 || true",
    ]);
  const first = async (): Promise<string> => {
    for (let waited = 0; ; waited += 200) {
      const answer = await ask();
      if (answer !== "") return answer;
      const state = await lab.docker("inspect", "--format", "{{.State.Status}}", id);
      if (state !== "running" || waited > START_MS) {
        const options = { encoding: "utf8" } as const;
        const { stdout, stderr } = await run(
          "docker",
          ["-H", `unix://${lab.socket}`, "logs", id],
          options,
        );
        assert.fail(`${state}: ${stdout}${stderr}`);
      }
      await pause(200);
    }
  };
  assert.match(await first(), /^HTTP\/1.1 403 .*\r\nDrydock-Reason: READBACK_MISSING\r\n/);
  const receipt = {
    policyDigest: digestOf(POLICY),
    rulesets: [{ authority: "platform", digest: digestOf(Buffer.from("rules")) }],
    bootId: readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(),
    daemonId: (await lab.backend.identity()).daemonId,
    observedAt: new Date().toISOString(),
    ok: true,
  } as const;
  put("receipt", signReadbackReceipt(receipt, READER));
  await pause(300);
  // Past the receipt it is the policy that decides.
  assert.match(await ask(), /\r\nDrydock-Reason: AUTHORITY_NOT_GRANTED\r\n/);
});
