import { shape } from "@drydock/evidence";
import { MAX_PATH_LENGTH, MAX_STRING_LENGTH } from "../limits.js";

const { integer, pattern, rule, text } = shape;

/** Nanoseconds since 1970 as decimal text: a JSON integer would lose the last digits. */
export const instant = pattern(/^(0|[1-9][0-9]{0,18})$/, "nanoseconds since 1970 as decimal text");

export const channelName = pattern(
  /^drydock\.[a-z]{1,16}\.(0|[1-9][0-9]{0,3})$/,
  "a channel name drydock.KIND.NUMBER",
);

/** Serial of a virtio-blk disk: at most 20 bytes (virtio 1.2 §5.2.6). */
export const diskSerial = pattern(/^[a-z][a-z0-9-]{0,19}$/, "a disk serial");

export const streamId = integer(1, 0xffff_ffff);
export const sequence = integer(0, 0xffff_ffff);
export const userId = integer(0, 0xffff_fffe);
export const count = integer(0, Number.MAX_SAFE_INTEGER);

export const absolutePath = rule(text(MAX_PATH_LENGTH, 1), (path) =>
  path.startsWith("/") ? null : "expected an absolute path",
);
/** Text that reaches an argument list, an environment or a path: NUL would cut it short. */
export const argument = text(MAX_STRING_LENGTH);

/** What a person may read: an error message from the other side. */
export const message = text(1024);

/** Canonical base64 (RFC 4648 §4) of 32 to 64 bytes. */
export const entropy = pattern(
  /^(?=.{44,88}$)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  "base64 of 32 to 64 bytes",
);

export const SIGNALS = [
  "SIGHUP",
  "SIGINT",
  "SIGQUIT",
  "SIGKILL",
  "SIGUSR1",
  "SIGUSR2",
  "SIGTERM",
  "SIGCONT",
  "SIGSTOP",
  "SIGTSTP",
  "SIGWINCH",
] as const;
export type Signal = (typeof SIGNALS)[number];
