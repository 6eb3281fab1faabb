import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "@drydock/testkit";
import type { Ending } from "../home.js";
import type { Answers, Line } from "./servers.js";

const SERVERS = fileURLToPath(new URL("./servers.js", import.meta.url));

/** The link between the appliance and outside: shared address space (RFC 6598), as at a provider's. */
const ROUTER = "100.127.0.2";
const OUTSIDE = "100.127.0.1";

/** Everything that an appliance could want to reach, and a record of what arrives. */
export interface Outside {
  /** File with the certificate that the web server's is signed with. */
  readonly authority: string;
  /** What name servers say from now on. */
  answer(answers: Answers): Promise<void>;
  /** Names that were asked for since the last call, with the server that was asked. */
  asked(): readonly string[];
  /** What arrived since the last call: `tcp 93.184.216.34:443`, or the protocol of anything else. */
  arrived(): readonly string[];
}

export interface OutsideOptions {
  /** File of the appliance's network namespace. */
  readonly appliance: string;
  readonly names: readonly string[];
  readonly nameServers: readonly string[];
  readonly echoes: readonly { readonly address: string; readonly port: number }[];
  readonly echoPort: number;
}

/**
 * A network namespace behind the appliance's only link, in which every address answers. What comes
 * by the link is counted by the kernel before anything else sees it, so nothing can be missed.
 */
export const startOutside = async (test: Ending, options: OutsideOptions): Promise<Outside> => {
  const name = `dd-out-${process.pid}`;
  const namespace = `/run/netns/${name}`;
  run("ip", "netns", "add", name);
  let servers: ChildProcess | undefined;
  test.after(async () => {
    if (servers !== undefined && servers.exitCode === null) {
      const gone = once(servers, "exit");
      servers.kill("SIGKILL");
      await gone;
    }
    run("ip", "netns", "delete", name);
  });
  const inside = (...argv: readonly string[]) =>
    run("nsenter", `--net=${namespace}`, "--", ...argv);
  const router = (...argv: readonly string[]) =>
    run("nsenter", `--net=${options.appliance}`, "--", ...argv);
  router("ip", "link", "add", "up0", "type", "veth", "peer", "name", "up1", "netns", name);
  // What a kernel says of its own accord is nothing that an appliance let out.
  router("sysctl", "-q", "-w", "net.ipv6.conf.up0.disable_ipv6=1");
  router("ip", "address", "add", `${ROUTER}/30`, "dev", "up0");
  router("ip", "link", "set", "up0", "up");
  router("ip", "route", "add", "default", "via", OUTSIDE);
  inside("ip", "link", "set", "lo", "up");
  inside("ip", "address", "add", `${OUTSIDE}/30`, "dev", "up1");
  inside("ip", "link", "set", "up1", "up");
  const addresses = new Set([
    ...options.nameServers,
    ...options.echoes.map(({ address: one }) => one),
  ]);
  for (const address of addresses) inside("ip", "address", "add", `${address}/32`, "dev", "lo");
  // Behind the link's own route, so that answers find their way back.
  inside("ip", "route", "add", "local", "default", "dev", "lo", "table", "main");
  run("nsenter", { input: RECORDER }, `--net=${namespace}`, "--", "nft", "-f", "-");

  const directory = temporaryDirectory(test);
  const { key, certificate, authority } = makeCertificate(directory, options.names);
  const { nameServers, echoes, echoPort } = options;
  const setup = JSON.stringify({ key, certificate, nameServers, echoes, echoPort });
  servers = spawn("nsenter", [`--net=${namespace}`, "--", process.execPath, SERVERS, setup], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const asked: string[] = [];
  const waiting: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
  createInterface(servers.stdout ?? missing()).on("line", (text) => {
    const line = JSON.parse(text) as Line;
    if (line.kind === "asked") asked.push(`${line.name} at ${line.at}`);
    else waiting.shift()?.resolve();
  });
  servers.once("exit", () => {
    for (const { reject } of waiting) reject(new Error("the servers outside ended"));
  });
  const next = () => new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }));
  await next();
  return {
    authority,
    answer: async (answers) => {
      const set = next();
      servers?.stdin?.write(`${JSON.stringify(answers)}\n`);
      await set;
    },
    asked: () => asked.splice(0),
    arrived: () => {
      const listed = ["seen", "other"].flatMap((set) =>
        elementsOf(inside("nft", "-j", "list", "set", "netdev", "recorder", set)),
      );
      for (const set of ["seen", "other"]) inside("nft", "flush", "set", "netdev", "recorder", set);
      return listed.sort();
    },
  };
};

const RECORDER = `table netdev recorder {
  set seen { type ipv4_addr . inet_proto . inet_service; flags dynamic; size 65535; }
  set other { type ether_type . inet_proto; flags dynamic; size 1024; }
  chain arriving {
    type filter hook ingress device "up1" priority -500
    ip protocol { tcp, udp } update @seen { ip daddr . meta l4proto . th dport } return
    meta protocol arp return
    update @other { meta protocol . meta l4proto }
  }
}
`;

const elementsOf = (json: string): readonly string[] => {
  const { nftables } = JSON.parse(json) as {
    readonly nftables: readonly {
      readonly set?: { readonly elem?: readonly { readonly concat: readonly unknown[] }[] };
    }[];
  };
  return nftables
    .flatMap(({ set }) => set?.elem ?? [])
    .map(({ concat: [first, second, port] }) =>
      port === undefined ? `${first} ${second}` : `${second} ${first}:${port}`,
    );
};

const makeCertificate = (directory: string, names: readonly string[]) => {
  const file = (name: string): string => join(directory, name);
  const ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  run(
    ...["openssl", "req", "-x509", ...ec, "-days", "2", "-subj", "/CN=Outside"],
    ...["-keyout", file("ca.key"), "-out", file("ca.pem")],
  );
  run(
    ...["openssl", "req", ...ec, "-subj", "/CN=outside"],
    ...["-keyout", file("key.pem"), "-out", file("request.pem")],
  );
  const alternatives = names.map((name) => `DNS:${name}`).join(",");
  writeFileSync(file("extensions"), `subjectAltName=${alternatives}\n`);
  run(
    ...["openssl", "x509", "-req", "-in", file("request.pem"), "-CA", file("ca.pem"), "-days", "2"],
    ...["-CAkey", file("ca.key"), "-CAcreateserial", "-extfile", file("extensions")],
    ...["-out", file("cert.pem")],
  );
  return { key: file("key.pem"), certificate: file("cert.pem"), authority: file("ca.pem") };
};

type Argument = string | { readonly input: string };

const run = (...command: readonly Argument[]): string => {
  const [program = missing(), ...args] = command.filter((part) => typeof part === "string");
  const input = command.find((part) => typeof part !== "string")?.input ?? "";
  return execFileSync(program, args, { input, encoding: "utf8", stdio: ["pipe", "pipe", "pipe"] });
};

function missing(): never {
  throw new Error("what has to be there isn't");
}
