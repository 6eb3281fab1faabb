import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Ending } from "./home.js";

/**
 * Ids of processes follow from a slot's number, and whoever destroys a slot kills all who wear them:
 * a machine within the machine has to take numbers that the real one doesn't.
 */
const TAKEN_SLOTS = 700;

/**
 * Wrapper for programs that share a `/etc` and a `/run/drydock` of their own, as on another machine:
 * what is halted there, or lives there, is nobody else's.
 */
export const machineOfItsOwn = async (test: Ending): Promise<readonly string[]> => {
  const holder = spawn(
    "unshare",
    ["--mount", "--propagation", "private", "sh", "-ec", SET_UP, "sh", String(TAKEN_SLOTS)],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  test.after(() => holder.kill("SIGKILL"));
  await Promise.race([
    once(holder.stdout, "data"),
    once(holder, "exit").then(([code]) => {
      throw new Error(`the machine could not be set up: ${code}`);
    }),
  ]);
  return ["nsenter", `--mount=/proc/${holder.pid}/ns/mnt`, "--"];
};

/** The keepers of golden memory are shared with the real machine: they end by themselves there. */
const SET_UP = `
  scratch=$(mktemp -d)
  mount -t tmpfs tmpfs "$scratch"
  mkdir "$scratch/upper" "$scratch/work" "$scratch/run" "$scratch/golden"
  mount -t overlay -o "lowerdir=/etc,upperdir=$scratch/upper,workdir=$scratch/work" overlay /etc
  mkdir -p -m 700 /run/drydock/golden
  mount --bind /run/drydock/golden "$scratch/golden"
  mount -t tmpfs -o mode=711 tmpfs /run/drydock
  mkdir -m 700 /run/drydock/golden
  mount --bind "$scratch/golden" /run/drydock/golden
  umount "$scratch/golden"
  mkdir -m 711 /run/drydock/slots
  i=0
  while [ $i -lt $1 ]; do mkdir -p /run/drydock/slots/$i/taken; i=$((i + 1)); done
  umount -l "$scratch" && rmdir "$scratch"
  echo ready
  exec cat`;
