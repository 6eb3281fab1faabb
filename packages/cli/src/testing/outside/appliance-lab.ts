import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import {
  ARTIFACT_KINDS,
  type ReadbackReceipt,
  releaseManifestBytes,
  signReadbackReceipt,
  signRelease,
  WORKBENCH_LABEL,
} from "@drydock/boundary";
import { type EngineLab, startEngineLab } from "@drydock/boundary/testing";
import { digestOf, type SigningKey, signingKeyFromPem } from "@drydock/evidence";
import { temporaryDirectory } from "@drydock/testkit";
import { type Ended, type Ending, testHome } from "../home.js";
import { type Outside, startOutside } from "./outside.js";

const execute = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../../../../", import.meta.url));
const EXAMPLE = join(ROOT, "scenarios/appliance");

/** Builds the bundle first, if nobody has. */
const IMAGES_MS = 300_000;
/** Fourteen stages, three hundred rules and a proof, on a busy machine. */
const APPLY_MS = 300_000;
/** Longer than a broker takes to look up and connect, each of which has its own limit. */
const CURL_SECONDS = 40;

export const OWNER = "example";
/** As the example's policy signs it, and where that is. */
export const AUTHORITY = "api.example.com";
export const AUTHORITY_ADDRESS = "93.184.216.34";
export const RESOLVER = "203.0.113.53";
/** Of the egress anchor, on the network that the management anchor is on as well. */
export const BROKER = { host: "10.99.2.30", port: 3128 } as const;
export const ECHO_PORT = 65_535;

export const NAMES = { [AUTHORITY]: [AUTHORITY_ADDRESS] };

/** The example appliance under its own policy, on a real engine, with somewhere to go out to. */
export interface ApplianceLab {
  readonly lab: EngineLab;
  readonly outside: Outside;
  /** Directory with the example's files as they were given. */
  readonly files: string;
  apply(): Promise<Ended>;
  /** As at the qualification of an image, with a look from outside just before. */
  gate(): Promise<Ended>;
  /** A container's network namespace, by its name without the owner's. */
  namespaceOf(name: string): Promise<string>;
  /** Puts a receipt where the broker looks, and waits until it has looked; null: none. */
  put(receipt: Uint8Array | null): Promise<void>;
  /** As the reader would sign it now. */
  receipt(change?: Partial<ReadbackReceipt>, key?: SigningKey): Uint8Array;
  /** What a client at the management anchor gets: the page's first word, or why not. */
  fetch(url?: string): Promise<string>;
}

export const startApplianceLab = async (test: Ending): Promise<ApplianceLab> => {
  const files = temporaryDirectory(test);
  const home = testHome(test);
  const lab = await startEngineLab(test);
  const outside = await startOutside(test, {
    appliance: lab.namespace,
    names: [AUTHORITY],
    nameServers: [RESOLVER, AUTHORITY_ADDRESS],
    echoes: [443, 123].map((port) => ({ address: AUTHORITY_ADDRESS, port })),
    echoPort: ECHO_PORT,
  });
  await outside.answer({ names: NAMES, serving: true });
  const images = await makeImages(lab, join(files, "images"));
  const reader = makeKey();
  const policy = layOut(files, images, reader);
  const boundary = join(files, "mounts/boundary");
  const namespaceOf = async (name: string): Promise<string> => {
    const format = "{{.State.Pid}}";
    const pid = await lab.docker("inspect", "--format", format, `${OWNER}-${name}`);
    return `/proc/${pid}/ns/net`;
  };
  const at = (name: string): string => join(files, name);
  const released = [
    ...["--policy", at("mounts/given/policy.yaml"), "--key", at("mounts/given/owner.pem")],
    ...["--release", at("mounts/given/manifest.json")],
    ...["--signature", at("mounts/given/manifest.sig.json")],
    ...["--namespace", lab.namespace, "--binding", at("binding.json")],
  ];
  const wanted = [
    ...[...released, "--platform", at("platform.yaml"), "--mounts", at("mounts")],
    ...["--docker-socket", lab.socket, "--owner", OWNER, "--json"],
  ];
  const drydock = (...args: readonly string[]): Promise<Ended> =>
    home.run(["boundary", ...args], { withinMs: APPLY_MS });
  const apply = (): Promise<Ended> =>
    drydock(
      ...["apply", at("plan.yaml"), ...wanted, "--receipt", join(boundary, "receipt")],
      ...["--receipt-key", at("reader.key")],
    );
  const gate = async (): Promise<Ended> => {
    const looked = await drydock(
      ...["observe-host", ...released, "--observer-key", at("observer.key")],
      ...["--output", at("host.json")],
    );
    if (looked.code !== 0) return looked;
    return drydock(
      ...["gate", at("plan.yaml"), ...wanted, "--phase", "image-qualification"],
      ...["--host-observation", at("host.json"), "--host-key", at("observer.pem")],
    );
  };
  return {
    lab,
    outside,
    files,
    apply,
    gate,
    namespaceOf,
    put: async (bytes) => {
      const file = join(boundary, "receipt");
      if (bytes === null) rmSync(file, { force: true });
      else {
        writeFileSync(`${file}.new`, bytes);
        renameSync(`${file}.new`, file);
      }
      await pause(REREAD_MS);
    },
    receipt: (change = {}, key = reader.key) =>
      signReadbackReceipt(
        {
          policyDigest: digestOf(policy),
          rulesets: [{ authority: "platform", digest: digestOf(Buffer.from("rules")) }],
          bootId: readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(),
          daemonId: "ENGINE",
          observedAt: new Date().toISOString(),
          ok: true,
          ...change,
        },
        key,
      ),
    fetch: async (url = `https://${AUTHORITY}/`) => {
      const from = await namespaceOf("platform-management");
      return await fetchFrom(from, outside.authority, url);
    },
  };
};

/** A broker reads its receipt at most every 200 ms. */
const REREAD_MS = 300;

/** By curl, which says on stderr what a proxy answered. */
const fetchFrom = async (namespace: string, authority: string, url: string): Promise<string> => {
  const { stdout, stderr } = await execute("nsenter", [
    ...[`--net=${namespace}`, "--", "curl", "-sSv", "--max-time", `${CURL_SECONDS}`],
    ...["--proxy", `http://${BROKER.host}:${BROKER.port}`, "--cacert", authority, url],
  ]).catch((error: { readonly stdout: string; readonly stderr: string }) => error);
  return (
    stdout.split(" ")[0] ||
    /^< drydock-reason: (\w+)/im.exec(stderr)?.[1] ||
    (stderr.trim().split("\n").at(-1) ?? "")
  );
};

const makeImages = async (lab: EngineLab, directory: string) => {
  await execute(join(ROOT, "scripts/appliance-images"), [directory], { timeout: IMAGES_MS });
  const load = async (name: string, ...changes: readonly string[]): Promise<string> => {
    const changed = changes.flatMap((change) => ["--change", change]);
    const file = join(directory, `${name}.tar`);
    return `example/${name}@${await lab.docker("import", ...changed, file, `example/${name}:1`)}`;
  };
  return {
    helper: await load("helper", `LABEL ${WORKBENCH_LABEL}=participant-workbench-profile/v1`),
    proxy: await load("proxy", "ENV DRYDOCK_HOME=/var/lib/drydock", "USER 65534:65534"),
  };
};

const makeKey = () => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const privatePem = privateKey.export({ format: "pem", type: "pkcs8" }).toString();
  const publicPem = publicKey.export({ format: "pem", type: "spki" }).toString();
  return { key: signingKeyFromPem(privatePem), privatePem, publicPem };
};

/** So that no machine is too slow; what is stale is so by its own time. */
const FRESHNESS = "observation_freshness_seconds: 3600";

/** The example's files as its owner would hand them over; the policy's bytes. */
const layOut = (
  files: string,
  images: { readonly helper: string; readonly proxy: string },
  reader: ReturnType<typeof makeKey>,
): Buffer => {
  const put = (name: string, bytes: string | Uint8Array) => writeFileSync(join(files, name), bytes);
  const example = (name: string): string => readFileSync(join(EXAMPLE, name), "utf8");
  mkdirSync(join(files, "mounts/given"), { recursive: true, mode: 0o755 });
  mkdirSync(join(files, "mounts/boundary"), { mode: 0o755 });
  const policy = Buffer.from(
    example("policy.yaml").replace(/^observation_freshness_seconds: .*$/m, FRESHNESS),
  );
  const owner = makeKey();
  const observer = makeKey();
  const manifest = releaseManifestBytes({
    releaseId: "example-1",
    artifacts: ARTIFACT_KINDS.map((kind) => {
      const bytes = kind === "boundary-policy" ? policy : Buffer.from(kind);
      return { id: kind, kind, path: kind, digest: digestOf(bytes), bytes: bytes.length };
    }),
    profile: { id: "example", version: 1 },
    helperImage: images.helper,
    proxyImage: images.proxy,
  });
  put("plan.yaml", example("plan.yaml"));
  put(
    "platform.yaml",
    example("platform.yaml").replaceAll("HELPER", images.helper).replaceAll("PROXY", images.proxy),
  );
  put("mounts/given/policy.yaml", policy);
  put("mounts/given/manifest.json", manifest);
  put("mounts/given/manifest.sig.json", signRelease(manifest, owner.key));
  put("mounts/given/owner.pem", owner.publicPem);
  put("mounts/given/reader.pem", reader.publicPem);
  put("reader.key", reader.privatePem);
  put("observer.key", observer.privatePem);
  put("observer.pem", observer.publicPem);
  return policy;
};
