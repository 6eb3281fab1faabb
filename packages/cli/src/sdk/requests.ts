import { DrydockError, quote } from "@drydock/evidence";
import type { ExecOptions } from "./types.js";

/*
 * What a caller asks of a running lab is checked before it is sent: further in, whoever says what no
 * peer may say has broken the protocol, and a slip would cost the whole lab.
 */

/** As the kernel keeps them: unsigned short (TIOCSWINSZ, ioctl_tty(2)). */
const MAX_TERMINAL_SIZE = 0xffff;

/** @throws DrydockError TERMINAL_SIZE */
export const checkTerminal = ({ rows, cols }: NonNullable<ExecOptions["tty"]>): void => {
  for (const [name, count] of Object.entries({ rows, cols }))
    if (!Number.isInteger(count) || count < 1 || count > MAX_TERMINAL_SIZE)
      throw new DrydockError("TERMINAL_SIZE", `no terminal has ${String(count)} ${name}`, {
        fix: `Give a whole number from 1 to ${MAX_TERMINAL_SIZE}, such as 24 rows and 80 cols.`,
      });
};

/** PATH_MAX of Linux, without its NUL. */
const MAX_PATH_BYTES = 4_095;

/** @throws DrydockError GUEST_PATH */
export const checkGuestPath = (path: string): void => {
  const names = path.split("/");
  const plain = names[0] === "" && names.at(-1) !== "" && !names.includes("..");
  if (plain && !path.includes("\0") && Buffer.byteLength(path) <= MAX_PATH_BYTES) return;
  throw new DrydockError("GUEST_PATH", `${quote(path)} is no path of a file in the guest`, {
    fix: 'Give an absolute path without "..", such as /work/input.txt.',
  });
};
