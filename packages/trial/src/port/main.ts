import { randomBytes } from "node:crypto";
import { Socket } from "node:net";
import { DrydockError, signingKeyFromSeed } from "@drydock/evidence";
import { connectQemu, type Machine, type VmEndpoints } from "@drydock/vm";
import { attachBulk } from "@drydock/wire";
import { PORT, PORT_EVENTS } from "../contract/index.js";
import { Link } from "../link/index.js";
import { Session } from "./session.js";

/**
 * The port process: the only one that reads what a guest or a VMM says. A user of its own for each
 * run, no network, and of the host's files only its log, the artifacts directory and the sealed
 * source. Descriptors: 3 controller, 4 streams to whoever started the run.
 *
 * Arguments: log, checkpoints, artifacts directory, source archive.
 */
const [log = "", checkpoints = "", artifacts = "", source = ""] = process.argv.slice(2);

/** The VMMs that this build knows. */
const connectMachine = (endpoints: VmEndpoints): Promise<Machine> => {
  switch (endpoints.adapter) {
    case "qemu":
      return connectQemu(endpoints);
    default:
      throw new DrydockError("VMM_UNKNOWN", `no adapter ${endpoints.adapter}`);
  }
};

const link = new Link(new Socket({ fd: 3 }));
const session = new Session({
  key: signingKeyFromSeed(randomBytes(32)),
  clock: {
    source: "linux.realtime-monotonic",
    wall: () => new Date().toISOString(),
    monotonicUs: () => Number(process.hrtime.bigint() / 1000n),
  },
  entropy: randomBytes,
  nowMs: () => Number(process.hrtime.bigint() / 1_000_000n),
  // The launcher hanging up ends the run through its other links.
  user: attachBulk(new Socket({ fd: 4 }), { role: "acceptor", onClose: () => undefined }),
  controller: link.calls(PORT_EVENTS),
  connect: connectMachine,
  files: { log, checkpoints, artifacts, source },
});
link.serve(PORT, session.handlers());
void link.ended.then(() => process.exit(0));
