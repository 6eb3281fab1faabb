import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { DrydockError, isDrydockError, type JsonValue, parseJson } from "@drydock/evidence";
import * as z from "zod/mini";
import type { Snapshot } from "../snapshot.js";
import type { RunningAppliance } from "./start.js";

/** One command: a request of the console's has a body at most. */
const MAX_LINE_BYTES = 2 * 1024 * 1024;

/** More than a harness takes; each is a whole configuration. */
const MAX_SNAPSHOTS = 16;

const name = z.string().check(z.regex(/^[a-z0-9-]{1,32}$/));
const aliasName = z.string().check(z.regex(/^[A-Za-z0-9_]{1,31}$/));
const id = z.int();

/** What a harness has done to an appliance from outside, as a hypervisor and an operator would. */
const command = z.discriminatedUnion("do", [
  z.strictObject({ id, do: z.literal("snapshot"), name }),
  z.strictObject({ id, do: z.literal("restore"), name }),
  z.strictObject({ id, do: z.literal("digest") }),
  z.strictObject({ id, do: z.literal("configuration") }),
  z.strictObject({ id, do: z.literal("damage-history") }),
  z.strictObject({ id, do: z.literal("duplicate-alias"), name: aliasName }),
  z.strictObject({ id, do: z.literal("lock"), held: z.boolean() }),
  z.strictObject({
    id,
    do: z.literal("console"),
    method: z.enum(["GET", "POST", "PATCH", "PUT", "DELETE"]),
    path: z.string().check(z.maxLength(256)),
    data: z.json(),
  }),
  z.strictObject({ id, do: z.literal("requests") }),
]);

type Command = z.output<typeof command>;

/**
 * Obeys commands, one JSON object a line, and answers each with `{id, ok}` or `{id, error}`, until
 * there are no more. A line that is no command ends it: whoever writes such lines isn't the harness.
 */
export const obey = async (
  appliance: RunningAppliance,
  { input, output }: { readonly input: Readable; readonly output: Writable },
): Promise<void> => {
  const snapshots = new Map<string, Snapshot>();
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of lines) {
    const given = parseCommand(line);
    const answer = await run(given, appliance, snapshots).then(
      (ok) => ({ id: given.id, ok }),
      (error: unknown) => {
        if (!isDrydockError(error)) throw error;
        return { id: given.id, error: { code: error.code, message: error.message } };
      },
    );
    output.write(`${JSON.stringify(answer)}\n`);
  }
};

const parseCommand = (line: string): Command => {
  const bytes = Buffer.from(line);
  const parsed = command.safeParse(
    parseJson(bytes, { maxBytes: MAX_LINE_BYTES, maxNodes: MAX_LINE_BYTES }),
  );
  if (parsed.success) return parsed.data;
  throw new DrydockError("LAB_COMMAND", "a line on standard input is no command", {
    fix: "see the chapter on the stand-in in docs/acceptance.md",
  });
};

const run = async (
  given: Command,
  appliance: RunningAppliance,
  snapshots: Map<string, Snapshot>,
): Promise<unknown> => {
  switch (given.do) {
    case "snapshot": {
      if (snapshots.size >= MAX_SNAPSHOTS && !snapshots.has(given.name)) {
        throw new DrydockError("LAB_COMMAND", `there are ${MAX_SNAPSHOTS} snapshots already`);
      }
      const snapshot = appliance.snapshot();
      snapshots.set(given.name, snapshot);
      return { digest: snapshot.digest };
    }
    case "restore": {
      const snapshot = snapshots.get(given.name);
      if (snapshot === undefined) {
        throw new DrydockError("LAB_COMMAND", `there is no snapshot ${given.name}`);
      }
      appliance.restore(snapshot);
      return { digest: appliance.snapshot().digest };
    }
    case "digest":
      return { digest: appliance.snapshot().digest };
    case "configuration":
      return appliance.snapshot().configuration;
    case "damage-history":
      appliance.damageHistory();
      return {};
    case "duplicate-alias":
      appliance.duplicateAlias(given.name);
      return {};
    case "lock":
      appliance.lock(given.held);
      return {};
    case "console": {
      const answer = await appliance.atConsole(given.method, given.path, given.data as JsonValue);
      return answer === null ? null : { status: answer.status, body: answer.body };
    }
    case "requests":
      return appliance.requests();
  }
};
