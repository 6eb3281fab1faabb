import type { Duplex } from "node:stream";
import { quote } from "@drydock/evidence";
import { vmError } from "../errors.js";
import type { VmExit } from "../vmm.js";

/** Printed by the guest when its agent waits for the first frame and its CRNG is initialised. */
export const AGENT_WAITING = "drydock-agent: waiting";
/** Printed by a guest that was started only to show that the accelerator runs its kernel. */
export const CANARY_OK = "drydock-init: canary ok";
/** Printed when booting has failed: no need to wait for the deadline. */
const BOOT_FAILED = /^drydock-init: (cannot .*|agent ended.*)$/m;

/** A quiet boot prints a few hundred bytes; of a talkative one the end is enough. */
const MAX_TAIL_BYTES = 64 * 1024;

/**
 * Reads a booting guest's console until it prints the line.
 *
 * @throws DrydockError GUEST_BOOT when it says that it can't, ends, or is silent until the deadline.
 */
export const awaitConsoleLine = (
  console: Duplex,
  line: string,
  exited: Promise<VmExit>,
  deadlineMs: number,
): Promise<void> =>
  new Promise((resolve, reject) => {
    let tail = "";
    const finish = (error?: Error): void => {
      clearTimeout(timer);
      console.off("data", read);
      if (error === undefined) resolve();
      else reject(error);
    };
    const fail = (what: string): void =>
      finish(
        vmError("GUEST_BOOT", `the guest did not get to "${line}": ${what}`, {
          fix: "Build the image again; a boot with `drydock.verbose` shows each step.",
        }),
      );
    const read = (chunk: Buffer): void => {
      tail = (tail + chunk.toString("latin1")).slice(-MAX_TAIL_BYTES);
      const [, reason] = BOOT_FAILED.exec(tail.replaceAll("\r", "")) ?? [];
      if (tail.includes(line)) finish();
      else if (reason !== undefined) fail(quote(reason));
    };
    const timer = setTimeout(
      () => fail(`${deadlineMs} ms passed; the last words were ${quote(tail.slice(-60))}`),
      deadlineMs,
    );
    console.on("data", read);
    exited.then(({ code, signal, complaint }) =>
      fail(`the VMM ended (${signal ?? code}): ${quote(complaint.trim())}`),
    );
  });
