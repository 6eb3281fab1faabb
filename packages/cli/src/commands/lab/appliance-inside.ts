import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DrydockError } from "@drydock/evidence";
import { type LabSecrets, obey, type RunningAppliance, startLabAppliance } from "@drydock/lab";
import { visible } from "../../terminal/sanitise.js";
import type { InsideOptions } from "./appliance.js";

const FILES = {
  ca: "ca.pem",
  admin: "admin-password",
  supervisor: "supervisor-password",
  labKey: "lab-api-key",
} as const;

/** The stand-in itself, in the namespace that was made for it, until a signal. */
export const serveInside = async (options: InsideOptions): Promise<number> => {
  if (process.ppid !== options.parent) {
    throw new DrydockError("LAB_NAMESPACE", "whoever started this is gone");
  }
  const ending = new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, resolve);
  });
  const appliance = await start(options);
  tellReady(options, appliance);
  const { stdin, stdout } = process;
  await Promise.race([
    ending,
    ...(options.control ? [obey(appliance, { input: stdin, output: stdout })] : []),
  ]);
  await appliance.close();
  // Whoever holds the other end may never let go of it.
  stdin.destroy();
  return 0;
};

const start = async (options: InsideOptions): Promise<RunningAppliance> => {
  const { files, ...rest } = options;
  const appliance = await startLabAppliance({
    ...rest,
    stateDirectory: join(files, "state"),
    secrets: secretsIn(files),
    clock: Date.now,
    random: randomBytes,
  });
  writeFileSync(join(files, FILES.ca), appliance.caCertificatePem, { mode: 0o600 });
  return appliance;
};

/** Made once: whoever starts again over the same files finds the accounts as they were. */
const secretsIn = (files: string): LabSecrets => ({
  admin: secret(join(files, FILES.admin)),
  supervisor: secret(join(files, FILES.supervisor)),
  labKey: secret(join(files, FILES.labKey)),
  // Nobody signs in as the lab: it has its key.
  lab: randomBytes(24).toString("hex"),
});

const secret = (file: string): string => {
  if (existsSync(file)) return readFileSync(file, "utf8").trimEnd();
  const value = randomBytes(24).toString("hex");
  writeFileSync(file, `${value}\n`, { mode: 0o600, flag: "wx" });
  return value;
};

const tellReady = (options: InsideOptions, { url, name }: RunningAppliance): void => {
  const at = (file: string): string => join(options.files, file);
  const namespace = `/proc/${process.pid}/ns/net`;
  const facts = {
    ready: true,
    standIn: true,
    url,
    name,
    namespace,
    pid: process.pid,
    ca: at(FILES.ca),
    adminPassword: at(FILES.admin),
    supervisorPassword: at(FILES.supervisor),
    labKey: at(FILES.labKey),
  };
  process.stdout.write(
    options.json
      ? `${JSON.stringify(facts)}\n`
      : [
          `stand-in (not pfSense) at ${url}, ${name}`,
          `namespace ${namespace}`,
          `ca ${visible(facts.ca, 4096)}`,
          `passwords of admin and supervisor: ${visible(facts.adminPassword, 4096)} ${visible(facts.supervisorPassword, 4096)}`,
          `key of lab: ${visible(facts.labKey, 4096)}`,
          "",
        ].join("\n"),
  );
};
