import { constants } from "node:os";
import type { Signal } from "@drydock/wire";
import type { Exec, Hello } from "../agent/platform.js";

/** A message to drydock-native: u32 (little-endian) byte count, then NUL-terminated strings. */
export const nativeMessage = (strings: readonly (string | number)[]): Buffer => {
  const text = Buffer.from(strings.map((part) => `${part}\0`).join(""), "utf8");
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length, 0);
  return Buffer.concat([length, text]);
};

export const setupMessage = (hello: Hello): Buffer =>
  nativeMessage([
    Buffer.from(hello.entropy, "base64").toString("hex"),
    hello.timeNs,
    hello.mounts.upper ?? "",
    hello.limits.pids,
  ]);

/** Where commands run. Empty strings: where the agent runs (tests). */
export interface CommandPlace {
  readonly cgroup: string;
  readonly namespace: string;
  readonly root: string;
  readonly descriptors: number;
}

/** The order is that of guest_take_command in drydock-native.c. */
export const execMessage = (exec: Exec, place: CommandPlace): Buffer =>
  nativeMessage([
    place.cgroup,
    place.namespace,
    place.root,
    exec.user.uid,
    exec.user.gid,
    place.descriptors,
    exec.tty === null ? 0 : 1,
    exec.tty?.rows ?? 0,
    exec.tty?.cols ?? 0,
    exec.killLeftovers ? 1 : 0,
    exec.cwd,
    exec.argv.length,
    ...exec.argv,
    exec.env.length,
    ...exec.env,
  ]);

export const signalNumber = (signal: Signal): number => constants.signals[signal];
