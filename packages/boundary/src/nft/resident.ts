import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { DrydockError } from "@drydock/evidence";
import type { BoundaryCode } from "../codes.js";
import { entering } from "./entering.js";
import type { NetworkNamespace } from "./namespace.js";
import { findTool, type Tool } from "./tool.js";

/** What answers on a busy machine within milliseconds is stuck after so many. */
const DEADLINE_MS = 10_000;

interface Question {
  readonly resolve: (line: string) => void;
  readonly reject: (error: unknown) => void;
}

export interface ResidentOptions {
  /** Of one answer. */
  readonly maxBytes: number;
  /** Whether a line ends an answer; any that isn't empty does unless it's said. */
  readonly isLast?: (line: string) => boolean;
}

/**
 * A program that stays in a network namespace and answers each question with a line: starting one
 * takes a busy machine longer than all that it is asked. It ends with whoever asks, whatever it is
 * doing; one that ended is started again at the next question.
 */
export class Resident implements Disposable {
  readonly #namespace: NetworkNamespace;
  readonly #tool: Tool;
  readonly #args: readonly string[];
  readonly #maxBytes: number;
  readonly #isLast: (line: string) => boolean;
  #child: ChildProcess | null = null;
  #questions: Question[] = [];
  /** Whole lines of the answer that is under way, and the pieces of its next one. */
  #lines: string[] = [];
  #said: string[] = [];
  #bytes = 0;

  constructor(
    namespace: NetworkNamespace,
    tool: Tool,
    args: readonly string[],
    { maxBytes, isLast = (line) => line !== "" }: ResidentOptions,
  ) {
    this.#namespace = namespace;
    this.#tool = tool;
    this.#args = args;
    this.#maxBytes = maxBytes;
    this.#isLast = isLast;
  }

  /**
   * Questions are answered in order.
   *
   * @param text of one or more lines, the last of which is answered
   * @throws DrydockError TOOL_DEADLINE, TOOL_FLOODED, TOOL_FAILED when it ends instead
   */
  async ask(text: string): Promise<string> {
    const child = this.#child ?? this.#start();
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<string>((resolve, reject) => {
        this.#questions.push({ resolve, reject });
        timer = setTimeout(() => this.#stop(child, "TOOL_DEADLINE", "said nothing"), DEADLINE_MS);
        child.stdin?.write(`${text}\n`);
      });
    } finally {
      clearTimeout(timer);
    }
  }

  [Symbol.dispose](): void {
    if (this.#child !== null) this.#stop(this.#child, "TOOL_FAILED", "isn't needed any longer");
  }

  #start(): ChildProcess {
    const { descriptor, toolDirectories } = this.#namespace;
    const entered = entering(this.#namespace, this.#tool, this.#args);
    const child = spawn(findTool("setpriv", toolDirectories), entered, {
      env: { PATH: toolDirectories.join(":"), LC_ALL: "C" },
      stdio: ["pipe", "pipe", "ignore", descriptor],
    });
    this.#child = child;
    const fail = () => this.#stop(child, "TOOL_FAILED", "ended");
    child.on("error", fail);
    child.on("exit", fail);
    // EPIPE: it ended, which is told above.
    child.stdin?.on("error", () => undefined);
    // What waits for an answer has its deadline. A program that nobody asks keeps no process alive.
    child.unref();
    for (const pipe of [child.stdin, child.stdout]) (pipe as Socket | null)?.unref();
    child.stdout?.setEncoding("utf8").on("data", (text: string) => this.#hear(child, text));
    return child;
  }

  #hear(child: ChildProcess, text: string): void {
    if (child !== this.#child) return;
    const [rest = "", ...ended] = text.split("\n").reverse();
    this.#bytes += text.length;
    for (const end of ended.reverse()) {
      const line = [...this.#said, end].join("");
      this.#said = [];
      // nft puts an empty line after some answers; none of them is one.
      if (line !== "") this.#lines.push(line);
      if (!this.#isLast(line)) continue;
      this.#questions.shift()?.resolve(this.#lines.join("\n"));
      this.#lines = [];
      this.#bytes = rest.length;
    }
    this.#said.push(rest);
    if (this.#bytes > this.#maxBytes) this.#stop(child, "TOOL_FLOODED", "said too much");
  }

  #stop(child: ChildProcess, code: BoundaryCode, what: string): void {
    if (child !== this.#child) return;
    this.#child = null;
    this.#lines = [];
    this.#said = [];
    this.#bytes = 0;
    child.kill("SIGKILL");
    const open = this.#questions.splice(0);
    for (const { reject } of open) {
      reject(
        new DrydockError<BoundaryCode>(code, `${this.#tool} in the namespace ${what}`, {
          fix: "see whether the machine is overloaded, and try again",
        }),
      );
    }
  }
}
