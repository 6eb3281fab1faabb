import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** One packet as it left. Numbers of protocols are IANA's: 1 ICMP, 6 TCP, 17 UDP, 58 ICMPv6. */
export interface Packet {
  readonly protocol: number;
  readonly from: string;
  readonly fromPort: number;
  readonly to: string;
  readonly toPort: number;
  /** Bytes behind TCP's or UDP's header. */
  readonly payload: number;
}

export interface Capture {
  /** Every packet that left since the last call, up to one that this call sends. */
  take(): Promise<readonly Packet[]>;
  /** Ends it. How many packets the kernel didn't show: with any, nothing was proved. */
  end(): Promise<number>;
}

/** Nobody else sends there: RFC 5737's and RFC 863's. */
const MARKER = { address: "198.51.100.9", port: 9 } as const;
const PROGRAM = new URL("../../../src/testing/laboratory/capture.py", import.meta.url);

/**
 * Records what leaves through an interface, as the kernel shows it to packet sockets. A packet is
 * shown while it is being sent, so whatever was sent before a marker is there before the marker.
 */
export const startCapture = async (
  test: { after(fn: () => unknown): void },
  networkInterface = "lo",
): Promise<Capture> => {
  const child = spawn("python3", ["-u", fileURLToPath(PROGRAM), networkInterface], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  test.after(() => child.kill("SIGKILL"));
  const marker = createSocket("udp4");
  test.after(() => marker.close());
  const lines = createInterface({ input: child.stdout });
  let packets: Packet[] = [];
  let expected: { readonly text: string; readonly seen: () => void } | null = null;
  let dropped: (count: number) => void = () => undefined;
  const started = once(lines, "line");
  await started;
  lines.on("line", (line) => {
    const said: (Packet & { text: string }) | { dropped: number } = JSON.parse(line);
    if ("dropped" in said) return dropped(said.dropped);
    const { text, ...packet } = said;
    if (expected !== null && text === expected.text) return expected.seen();
    const isMarkers = packet.to === MARKER.address || packet.from === MARKER.address;
    if (!isMarkers) packets.push(packet);
  });
  let marks = 0;
  return {
    take: async () => {
      marks += 1;
      const text = `marker ${marks} `;
      await new Promise<void>((seen) => {
        expected = { text, seen };
        marker.send(text, MARKER.port, MARKER.address);
      });
      const taken = packets;
      packets = [];
      return taken;
    },
    end: async () => {
      const count = new Promise<number>((resolve) => {
        dropped = resolve;
      });
      child.stdin.end("end\n");
      return count;
    },
  };
};
