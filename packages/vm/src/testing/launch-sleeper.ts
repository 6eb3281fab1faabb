import { launch } from "../jail/launch.js";

/** Starts a program that sleeps, as `uid`, prints its process id, and stays until it is killed. */
const [native = "", uid = "0", bound = "no"] = process.argv.slice(2);
const { pid } = await launch({
  ...{ native, program: "/bin/sleep", argv: ["1000"], environment: {}, namespaces: [], root: null },
  ...{ mounts: [], cgroups: [], limits: {}, descriptors: [], listeners: [], sealedMemory: null },
  credentials: { uid: Number(uid), gid: Number(uid) },
  dieWithParent: bound === "bound",
  stdio: ["ignore", "ignore", "ignore"],
});
process.stdout.write(`${pid}\n`);
setInterval(() => undefined, 1000);
