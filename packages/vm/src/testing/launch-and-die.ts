import { createQemuAdapter } from "../qemu/index.js";
import { openPlace, openTestLab } from "./lab.js";

/** Starts a VMM, prints its process id and is killed: what is left is for the test to see. */
const forget = { after: () => undefined };
const lab = await openTestLab();
const adapter = createQemuAdapter(lab.options);
const plan = await adapter.prepare(lab.spec);
const place = await openPlace(lab, forget);
const vmm = await adapter.spawn(plan, place);
const { registry } = lab;
process.stdout.write(JSON.stringify({ pid: vmm.pid, registry, slot: place.slot }), () =>
  process.kill(process.pid, "SIGKILL"),
);
