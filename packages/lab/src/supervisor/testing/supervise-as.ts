import { EXACT_PRIVILEGES } from "../exact-privileges.js";
import { makeSetUp } from "../set-up.js";
import { supervisorJob } from "../starter-protocol.js";
import { supervise } from "../supervise.js";

/** A supervisor whose lab has other privileges than a lab is to have. Prints what it tells. */
const [job = "", change = ""] = process.argv.slice(2);
const PRIVILEGES: Readonly<Record<string, readonly string[]>> = {
  exact: EXACT_PRIVILEGES,
  more: [...EXACT_PRIVILEGES, "api-v2-firewall-rule-patch"],
  fewer: EXACT_PRIVILEGES.slice(1),
  all: ["page-all"],
};

await supervise({
  job: supervisorJob.parse(JSON.parse(job)),
  stopped: new Promise(() => undefined),
  makeSetUp: async (stateDirectory) => {
    const setUp = await makeSetUp(stateDirectory);
    const { standIn } = setUp;
    const { users } = standIn.configuration;
    const changed = users.map((user) =>
      user["name"] === "lab" ? { ...user, priv: [...(PRIVILEGES[change] ?? [])] } : user,
    );
    const configuration = { ...standIn.configuration, users: changed };
    return { ...setUp, standIn: { ...standIn, configuration } };
  },
  tell: (event) => void process.stdout.write(`${JSON.stringify(event)}\n`),
});
