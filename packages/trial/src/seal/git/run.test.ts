import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { waitForAll } from "./run.js";
import type { GitExit, GitProcess } from "./runner.js";

const OK: GitExit = { kind: "exited", code: 0, stderr: "" };
const REFUSED: GitExit = { kind: "exited", code: 128, stderr: "fatal: fsck error" };
const by = (signal: NodeJS.Signals): GitExit => ({ kind: "signalled", signal, stderr: "" });

/** Two programs of a pipeline; either ends as it is told to, or by SIGKILL once it is stopped. */
const pipeline = () => {
  const ends: Record<string, (exit: GitExit) => void> = {};
  const make = (name: string) => {
    const exit = new Promise<GitExit>((resolve) => {
      ends[name] = resolve;
    });
    const git: GitProcess = {
      stdin: new PassThrough(),
      stdout: new PassThrough(),
      exit,
      stop: () => ends[name]?.(by("SIGKILL")),
    };
    return { name, git };
  };
  const done = waitForAll([make("writer"), make("reader")]);
  return { end: (name: string, exit: GitExit) => ends[name]?.(exit), done };
};

test("of a pipeline, what failed first is told first, and not whom it was stopped for", async () => {
  const refusing = pipeline();
  refusing.end("reader", REFUSED);
  assert.deepEqual(await refusing.done, [
    { name: "reader", exit: REFUSED },
    { name: "writer", exit: by("SIGKILL") },
  ]);
  const dying = pipeline();
  dying.end("writer", by("SIGKILL"));
  const [first] = await dying.done;
  assert.deepEqual(first, { name: "writer", exit: by("SIGKILL") }, "control: the other way round");
});

test("who wrote into a broken pipe isn't the reason, though it is heard first", async () => {
  const broken = pipeline();
  broken.end("writer", by("SIGPIPE"));
  broken.end("reader", REFUSED);
  const [first] = await broken.done;
  assert.deepEqual(first, { name: "reader", exit: REFUSED });
});

test("where all is well, all are told", async () => {
  const well = pipeline();
  well.end("reader", OK);
  well.end("writer", OK);
  assert.deepEqual(
    (await well.done).map(({ exit }) => exit),
    [OK, OK],
  );
});
