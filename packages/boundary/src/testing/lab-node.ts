import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readlinkSync } from "node:fs";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { noteReached, patienceMs } from "./lab-patience.js";
import type { Answer, Ask, Endpoint } from "./namespace-agent.js";

const AGENT = fileURLToPath(new URL("./namespace-agent.js", import.meta.url));

/** packet(7): a raw socket (17, SOCK_RAW) and a sockaddr_ll, which Node has no words for. */
const SEND_FRAMES = `
  socket(S, 17, 3, 0) or die "socket: $!";
  my $to = pack("SnlSCCa8", 17, 0, shift, 0, 0, 6, "");
  for (@ARGV) { send(S, pack("H*", $_), 0, $to) or die "send: $!" }
`;

/** In whole seconds, as busybox takes it, and time for both of arping's questions. */
const patience = (): string => String(Math.max(2, Math.ceil(patienceMs() / 1_000)));

type Line = { readonly id: number; readonly answer?: Answer; readonly error?: string };

/**
 * A network namespace, and the process in it that keeps it: the namespace ends with the process,
 * and the process with this one.
 */
export class LabNode {
  readonly #agent: ChildProcess;
  readonly #waiting = new Map<number, (line: Omit<Line, "id">) => void>();
  #asked = 0;

  static async open(t: TestContext): Promise<LabNode> {
    const node = new LabNode();
    t.after(() => node.#agent.kill("SIGKILL"));
    // It answers once it is inside: until then its namespace is this process's own.
    await node.#ask({ ask: "heard", port: 0 });
    if (readlinkSync(`/proc/${node.pid}/ns/net`) === readlinkSync("/proc/self/ns/net")) {
      throw new Error("the laboratory has no network namespace of its own");
    }
    return node;
  }

  private constructor() {
    this.#agent = spawn("unshare", ["--net", process.execPath, AGENT], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#agent.once("exit", () => {
      for (const settle of this.#waiting.values()) settle({ error: "the agent is gone" });
    });
    if (this.#agent.stdout === null) throw new Error("the agent has no output");
    createInterface(this.#agent.stdout).on("line", (line) => {
      const { id, ...rest } = JSON.parse(line) as Line;
      this.#waiting.get(id)?.(rest);
      this.#waiting.delete(id);
    });
  }

  get pid(): number {
    if (this.#agent.pid === undefined) throw new Error("the agent didn't start");
    return this.#agent.pid;
  }

  /** @param host whose address a datagram is answered from, where there are several. */
  listen(protocol: "tcp" | "udp", port: number, host = "0.0.0.0"): Promise<Answer> {
    return this.#ask({ ask: "listen", protocol, on: { host, port } });
  }

  /** @param from own address and port (0 for any) to use. */
  tcp(host: string, port: number, from: Endpoint | null = null): Promise<Answer> {
    return this.#try("tcp", { host, port }, from, 0);
  }

  /** @param size of the datagram: more than the MTU makes fragments. */
  udp(host: string, port: number, from: Endpoint | null = null, size = 8): Promise<Answer> {
    return this.#try("udp", { host, port }, from, size);
  }

  /** Opens a connection and keeps it. */
  hold(host: string, port: number): Promise<Answer> {
    return this.#ask({ ask: "hold", to: { host, port }, timeoutMs: patienceMs() });
  }

  /** Says something through the connection that is kept. */
  again(): Promise<Answer> {
    return this.#ask({ ask: "again", timeoutMs: patienceMs() });
  }

  /** How many datagrams its listener has had. */
  heard(port: number): Promise<Answer> {
    return this.#ask({ ask: "heard", port });
  }

  /** How many frames its first device has had. */
  received(): Promise<Answer> {
    return this.#ask({ ask: "received", device: "eth0" });
  }

  /** Puts frames on the wire as they are, from their first byte to their last: hexadecimal. */
  frames(...frames: readonly string[]): void {
    const [eth0] = JSON.parse(this.run("ip", "-json", "link", "show", "eth0"));
    this.run("perl", "-e", SEND_FRAMES, String(eth0.ifindex), ...frames);
  }

  ping(host: string): Promise<Answer> {
    return this.#succeeds("busybox", "ping", "-c", "3", "-i", "0.2", "-W", patience(), host);
  }

  ping6(host: string): Promise<Answer> {
    return this.#succeeds("busybox", "ping6", "-c", "3", "-i", "0.2", "-W", patience(), host);
  }

  /** Asks by ARP who has an address, in its own name or in another's. */
  arping(address: string, as: string | null = null): Promise<Answer> {
    const source = as === null ? [] : ["-s", as];
    const fixed = ["arping", "-f", "-c", "2", "-w", patience(), "-I", "eth0"];
    return this.#succeeds("busybox", ...fixed, ...source, address);
  }

  /** As root of this namespace; its stdout. */
  run(command: string, ...args: readonly string[]): string {
    return this.#execute(undefined, command, ...args);
  }

  /** Lines for `ip -batch`. */
  ip(...lines: readonly string[]): void {
    this.#execute(`${lines.join("\n")}\n`, "ip", "-batch", "-");
  }

  /** A transaction for `nft -f`. */
  nft(transaction: string): void {
    this.#execute(transaction, "nft", "-f", "-");
  }

  /** A path under /proc/sys. */
  set(setting: string, value: string): void {
    this.run("sh", "-c", `echo "$1" > "/proc/sys/$0"`, setting, value);
  }

  #execute(input: string | undefined, ...command: readonly string[]): string {
    return execFileSync("nsenter", [`--net=/proc/${this.pid}/ns/net`, ...command], {
      encoding: "utf8",
      input: input ?? "",
      stdio: ["pipe", "pipe", "inherit"],
    });
  }

  #try(protocol: "tcp" | "udp", to: Endpoint, from: Endpoint | null, size: number) {
    return this.#ask({ ask: "try", protocol, to, from, size, timeoutMs: patienceMs() });
  }

  async #ask(ask: Ask): Promise<Answer> {
    this.#asked += 1;
    const id = this.#asked;
    const began = performance.now();
    const answer = await new Promise<Answer>((resolve, reject) => {
      this.#waiting.set(id, ({ answer, error }) =>
        answer === undefined ? reject(new Error(error)) : resolve(answer),
      );
      this.#agent.stdin?.write(`${JSON.stringify({ id, ...ask })}\n`);
    });
    if (answer === "reached") noteReached(performance.now() - began);
    return answer;
  }

  async #succeeds(...command: readonly string[]): Promise<Answer> {
    const child = spawn("nsenter", [`--net=/proc/${this.pid}/ns/net`, ...command], {
      stdio: "ignore",
    });
    const [code] = await once(child, "exit");
    return code === 0 ? "reached" : "blocked";
  }
}
