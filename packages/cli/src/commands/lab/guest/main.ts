/**
 * The program that runs in a guest, as its root, in a network namespace of its own:
 * `node stand-in.mjs STAND-IN COMMAND…`. Starts the stand-in, and beside it the command as somebody
 * who has none of root's rights; ends as the command ends.
 */
import { randomBytes } from "node:crypto";
import { appendFileSync, chownSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { isDrydockError } from "@drydock/evidence";
import { namespaceIdentity, type RunningAppliance, startLabAppliance } from "@drydock/lab";
import { type CommandSurroundings, IN_GUEST, type StandIn } from "./given.js";
import { endAs, runBeside } from "./run-beside.js";

/** As `drydock run` ends when the error is Drydock's own. */
const OWN_ERROR = 125;

const secret = (): string => randomBytes(24).toString("hex");

/** Nobody in the guest signs in as the administrator or the supervisor: theirs are written nowhere. */
const start = async (
  standIn: StandIn,
  user: CommandSurroundings["user"],
): Promise<RunningAppliance> => {
  const secrets = { admin: secret(), supervisor: secret(), lab: secret(), labKey: secret() };
  mkdirSync(dirname(IN_GUEST.directory), { recursive: true });
  // New, so that it is root's.
  mkdirSync(IN_GUEST.directory);
  const appliance = await startLabAppliance({
    ...standIn,
    // Of the guest's first process, which is in the namespace that this one was made in.
    starter: namespaceIdentity("/proc/1/ns/net"),
    stateDirectory: IN_GUEST.state,
    secrets,
    clock: Date.now,
    random: randomBytes,
  });
  writeFileSync(IN_GUEST.ca, appliance.caCertificatePem);
  writeFileSync(IN_GUEST.labKey, `${secrets.labKey}\n`, { mode: 0o600 });
  chownSync(IN_GUEST.labKey, user.uid, user.gid);
  appendFileSync("/etc/hosts", `\n${standIn.address} ${standIn.name}\n`);
  return appliance;
};

const [, , text = "", ...command] = process.argv;
try {
  const { user, env } = JSON.parse(readFileSync(IN_GUEST.command, "utf8")) as CommandSurroundings;
  const appliance = await start(JSON.parse(text) as StandIn, user);
  const end = await runBeside({ command, user, env: { ...process.env, ...env } });
  await appliance.close();
  endAs(end);
} catch (error) {
  const why = isDrydockError(error) ? `${error.message} (${error.code})` : String(error);
  process.stderr.write(`drydock: the stand-in didn't start: ${why}\n`);
  process.exitCode = OWN_ERROR;
}
