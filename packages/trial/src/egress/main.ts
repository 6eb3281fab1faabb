import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, Socket } from "node:net";
import { createBroker, createDial, createPolicyResolver, systemTimers } from "@drydock/broker";
import { signingKeyFromSeed } from "@drydock/evidence";
import { EGRESS, EGRESS_EVENTS, EGRESS_SUPPLIES } from "../contract/index.js";
import { Link } from "../link/index.js";
import { EgressSession } from "./session.js";

/**
 * The broker process: the only one of a run with a network, and the only one that reads what
 * programs in the guest ask of it. A user of its own for each run; of the host's files it sees its
 * code and its log, of the VMM's sockets it can open its own channel's. Descriptors: 3 controller, 4
 * launcher, which hands over what nobody else is to know.
 *
 * Arguments: log, checkpoints.
 */
const [log = "", checkpoints = ""] = process.argv.slice(2);

const link = new Link(new Socket({ fd: 3 }));
const supplies = new Link(new Socket({ fd: 4 }));
const session = new EgressSession({
  key: signingKeyFromSeed(randomBytes(32)),
  clock: {
    source: "linux.realtime-monotonic",
    wall: () => new Date().toISOString(),
    monotonicUs: () => Number(process.hrtime.bigint() / 1000n),
  },
  entropy: randomBytes,
  controller: link.calls(EGRESS_EVENTS),
  connect: async (path) => {
    const socket = connect(path);
    await once(socket, "connect");
    return socket;
  },
  createBroker: (options) =>
    createBroker({
      ...options,
      resolver: createPolicyResolver(options.policy, {
        random: randomBytes,
        timers: systemTimers,
      }),
      dial: createDial(systemTimers),
      timers: systemTimers,
    }),
  timers: systemTimers,
  files: { log, checkpoints },
});
supplies.serve(EGRESS_SUPPLIES, session.supplies());
link.serve(EGRESS, session.handlers());
void link.ended.then(() => process.exit(0));
