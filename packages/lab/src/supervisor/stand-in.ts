import { type Digest, DrydockError, isJsonObject, type JsonValue } from "@drydock/evidence";
import { linesOf } from "./lines.js";
import { parseLine } from "./parse-line.js";
import { killAll, type LabProcess, startProcess, WITH_ITS_STARTER } from "./processes.js";
import { type StandInJob, standInAnswer, standInReady } from "./stand-in-protocol.js";

/** How long a stand-in may take to listen, on a busy machine. */
const START_MS = 30_000;
/** It waits up to a minute for a lock on its configuration, which nobody here holds. */
const ANSWER_MS = 10_000;

/** The supervisor's end of the stand-in's pipe. Everything rejects with LAB_STAND_IN once it is gone. */
export class StandIn {
  readonly #process: LabProcess;
  readonly #waiting = new Map<number, (answer: JsonValue | DrydockError) => void>();
  #next = 1;
  #gone = false;

  private constructor(process: LabProcess) {
    this.#process = process;
  }

  /** @throws DrydockError LAB_STAND_IN */
  static async start(job: StandInJob): Promise<StandIn> {
    const standIn = new StandIn(startProcess("stand-in", job, WITH_ITS_STARTER));
    const lines = linesOf(standIn.#process.output);
    try {
      const first = await within(START_MS, lines.next());
      if (first.done === true) throw gone();
      parseLine(standInReady, first.value);
    } catch (error) {
      await standIn.end();
      throw error;
    }
    void standIn.#listen(lines);
    return standIn;
  }

  /** Takes or replaces the snapshot of this name. */
  async snapshot(name: string): Promise<Digest> {
    return digestIn(await this.ask({ do: "snapshot", name }));
  }

  async restore(name: string): Promise<Digest> {
    return digestIn(await this.ask({ do: "restore", name }));
  }

  async digest(): Promise<Digest> {
    return digestIn(await this.ask({ do: "digest" }));
  }

  /** @throws DrydockError LAB_STAND_IN, LAB_COMMAND and what else the stand-in refuses with */
  ask(command: { readonly do: string } & Readonly<Record<string, JsonValue>>): Promise<JsonValue> {
    const id = this.#next;
    this.#next += 1;
    const answered = new Promise<JsonValue>((resolve, reject) => {
      if (this.#gone) return reject(gone());
      this.#waiting.set(id, (answer) => {
        this.#waiting.delete(id);
        if (answer instanceof DrydockError) reject(answer);
        else resolve(answer);
      });
      this.#process.input.write(`${JSON.stringify({ ...command, id })}\n`);
    });
    return within(ANSWER_MS, answered);
  }

  /** Ends it. False when something of it is left. */
  async end(): Promise<boolean> {
    this.#process.input.end();
    return await killAll(this.#process);
  }

  async #listen(lines: AsyncGenerator<Buffer>): Promise<void> {
    try {
      for await (const line of lines) {
        const answer = parseLine(standInAnswer, line);
        this.#waiting.get(answer.id)?.(
          "ok" in answer ? answer.ok : new DrydockError(answer.error.code, answer.error.message),
        );
      }
    } catch {
      // Whoever answers like that isn't asked again; what waits is told so below.
    } finally {
      this.#gone = true;
      for (const answer of [...this.#waiting.values()]) answer(gone());
    }
  }
}

const digestIn = (answer: JsonValue): Digest => {
  const digest = isJsonObject(answer) ? answer["digest"] : null;
  if (typeof digest === "string" && /^sha256:[0-9a-f]{64}$/.test(digest)) return digest as Digest;
  throw gone();
};

const gone = (): DrydockError =>
  new DrydockError("LAB_STAND_IN", "the stand-in is gone, or doesn't answer as one");

const within = async <T>(ms: number, work: Promise<T>): Promise<T> => {
  let late: NodeJS.Timeout | undefined;
  const timedOut = new Promise<never>((_, reject) => {
    late = setTimeout(() => reject(gone()), ms);
  });
  try {
    return await Promise.race([work, timedOut]);
  } finally {
    clearTimeout(late);
  }
};
