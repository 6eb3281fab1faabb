import { shape } from "@drydock/evidence";

const { integer, literal, object, variants } = shape;

/** How a command in the guest ended, as the agent asserts it. Signals are numbers of Linux. */
export const commandExit = variants({
  code: object({ kind: literal("code"), code: integer(0, 255) }),
  signal: object({ kind: literal("signal"), signal: integer(1, 64) }),
});
