import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer } from "node:https";
import { createServer as createTcpServer, type Socket } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import {
  A,
  a,
  type DnsServer,
  enterPrivateNetwork,
  isInPrivateNetwork,
  response,
  send,
  startDnsServer,
} from "@drydock/broker/testing";
import { closed } from "@drydock/testkit";
import {
  buildBaseImage,
  drydock,
  type Running,
  startDrydock,
  type TestState,
  testState,
} from "../testing/command-line.js";
import { leftoversOf } from "../testing/leftovers.js";
import { findRun, type LiveRun, namespacesOf, readOf, statusOf } from "../testing/live-run.js";
import { onlyRun } from "../testing/round.js";
import { untilTrue } from "../testing/until.js";
import { selfSigned } from "./testing/certificate.js";
import { guestProgram } from "./testing/guest.js";

const PUBLIC = "93.184.216.34";
const OTHER = "93.184.216.35";
const NAME = "allowed.example";

if (!isInPrivateNetwork(import.meta.url)) await buildBaseImage();
enterPrivateNetwork(import.meta.url, { addresses: [PUBLIC, OTHER] });

const CLEARED_WITHIN_MS = 30_000;
/** Under emulation a first TLS handshake takes seconds. */
const ANSWER_WITHIN_MS = 60_000;

/** What is outside: a name server that knows two names, a TLS server, and one that nobody may reach. */
interface Outside {
  readonly dns: DnsServer;
  readonly certificate: string;
  /** Connections that arrived at each address. */
  readonly upstream: Socket[];
  readonly forbidden: Socket[];
}

interface Ending {
  after(fn: () => unknown): void;
}

const openOutside = async (test: Ending): Promise<Outside> => {
  const dns = await startDnsServer(
    test,
    (query) =>
      send(
        response(query, {
          answers: query.type === A ? [a(query.name, query.host === NAME ? PUBLIC : OTHER)] : [],
        }),
      ),
    { port: 53 },
  );
  const { key, cert } = selfSigned(test, NAME);
  const upstream: Socket[] = [];
  const forbidden: Socket[] = [];
  const server = createServer({ key, cert }, (_request, reply) => reply.end("hello from outside"));
  server.on("connection", (socket: Socket) => {
    socket.on("error", () => undefined);
    upstream.push(socket);
  });
  const trap = createTcpServer((socket) => forbidden.push(socket));
  server.listen(443, PUBLIC);
  trap.listen(443, OTHER);
  await Promise.all([once(server, "listening"), once(trap, "listening")]);
  test.after(() => {
    for (const socket of [...upstream, ...forbidden]) socket.destroy();
    server.close();
    trap.close();
  });
  return { dns, certificate: cert.toString("utf8"), upstream, forbidden };
};

const GRANT = ["--allow", `${NAME}:443`, "--resolver", "127.0.0.1"];

interface Guest {
  readonly running: Running;
  readonly state: TestState;
  readonly live: LiveRun;
  /** Sends an order to the program in the guest and waits for its answer. */
  ask(order: string): Promise<string>;
}

const startGuest = async (
  test: Ending,
  outside: Outside,
  grant: readonly string[],
): Promise<Guest> => {
  const state = testState(test);
  const running = startDrydock(
    ["run", "--stdin", "--json", ...grant, "--", "node", "-e", guestProgram(outside.certificate)],
    state.environment,
    test,
  );
  await running.says("ready\n");
  const said: string[] = [];
  running.child.stderr?.on("data", (text: string) => said.push(text));
  return {
    running,
    state,
    live: findRun(onlyRun(state), running.child.pid ?? 0),
    ask: async (order) => {
      running.child.stdin?.write(`${order}\n`);
      const answer = (): string | undefined =>
        said
          .join("")
          .split("\n")
          .find((line) => line.startsWith(`${order}: `));
      await untilTrue(() => answer() !== undefined, ANSWER_WITHIN_MS, `an answer to ${order}`);
      return answer()?.slice(order.length + 2) ?? "";
    },
  };
};

interface Summary {
  readonly verdict: string;
  readonly denied: number;
  readonly evidence: string;
  readonly findings: readonly { readonly code: string; readonly message: string }[];
}

const summaryOf = (stdout: string): Summary => JSON.parse(stdout) as Summary;

const recordsOf = (evidence: string, role: string): readonly Record<string, unknown>[] =>
  readFileSync(join(evidence, "logs", `${role}.jsonl`), "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe("a run with a way out", () => {
  let outside: Outside;
  let guest: Guest;
  const endings: (() => unknown)[] = [];
  const afterAll = { after: (ending: () => unknown) => endings.push(ending) };

  before(async () => {
    outside = await openOutside(afterAll);
    guest = await startGuest(afterAll, outside, GRANT);
  });

  after(async () => {
    for (const ending of endings.reverse()) await ending();
  });

  const broker = (): number => guest.live.pids.get("egress") ?? assert.fail("there is no broker");

  test("a granted authority is reached, through the proxy that the environment names", async () => {
    assert.equal(await guest.ask("env HTTPS_PROXY"), '"http://127.0.0.1:3128"');
    assert.equal(await guest.ask(`get ${NAME}:443 ${NAME}`), "hello from outside");
    assert.equal(outside.upstream.length, 1);
  });

  for (const [order, reason] of [
    ["get other.example:443 other.example", "AUTHORITY_NOT_GRANTED"],
    [`get ${NAME}:444 ${NAME}`, "PORT_NOT_GRANTED"],
    [`get ${OTHER}:443 ${NAME}`, "IP_LITERAL"],
  ] as const)
    test(`${order} is refused before anything is asked or dialled`, async () => {
      const [queries, connections] = [outside.dns.queries.length, outside.upstream.length];
      assert.equal(await guest.ask(order), `refused ${reason}`);
      assert.deepEqual(
        [outside.dns.queries.length, outside.upstream.length, outside.forbidden.length],
        [queries, connections, 0],
      );
    });

  test("another server name than the granted one is reset, and no byte of it arrives", async () => {
    const before = outside.upstream.length;
    assert.match(await guest.ask(`get ${NAME}:443 other.example`), /^refused (ECONNRESET|CLOSED)$/);
    const [socket] = outside.upstream.slice(before);
    assert.equal(socket?.bytesRead, 0);
  });

  test("a program that ignores the proxy reaches nothing", async () => {
    assert.equal(await guest.ask(`direct ${PUBLIC} 443`), "refused ENETUNREACH");
    assert.equal(await guest.ask("direct 127.0.0.1 443"), "refused ECONNREFUSED");
  });

  test("the broker has a user of its own, no privilege, and the launcher's network alone", () => {
    const uid = guest.live.slot?.egress.uid ?? -1;
    for (const field of ["Uid", "Gid"])
      assert.deepEqual(statusOf(broker(), field)?.split("\t").map(Number), [uid, uid, uid, uid]);
    assert.equal(statusOf(broker(), "Groups")?.trim(), "");
    for (const set of ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"])
      assert.match(statusOf(broker(), set) ?? "", /^0+$/, set);
    assert.equal(statusOf(broker(), "NoNewPrivs"), "1");
    const shared = [...namespacesOf(broker())].filter((name) =>
      namespacesOf(process.pid).has(name),
    );
    assert.deepEqual(
      shared.map((name) => name.split(":")[0]),
      ["net"],
    );
    for (const role of ["controller", "port", "vmm"] as const) {
      const pid = guest.live.pids.get(role) ?? -1;
      assert.equal(namespacesOf(pid).has(shared[0] ?? ""), false, role);
    }
  });

  test("of the host's files it sees its code and its log, and it can't open another's socket", () => {
    const root = (path: string): readonly string[] => readdirSync(`/proc/${broker()}/root${path}`);
    assert.deepEqual([...root("/out")].sort(), ["egress.checkpoint", "egress.jsonl"]);
    assert.equal(root("/").includes("in"), false);
    assert.equal(root("/").includes("etc"), false, "no resolver, no hosts file");
    const { slot } = guest.live;
    assert.ok(slot !== null);
    const groups = execFileSync(
      "stat",
      ["-c", "%g %a %n", ...readdirSync(slot.sockets).map((name) => join(slot.sockets, name))],
      { encoding: "utf8" },
    );
    for (const line of groups.trim().split("\n")) {
      const [group, mode, name = ""] = line.split(" ");
      assert.equal(mode, "660");
      const owner: number = name.includes("egress") ? slot.egress.gid : slot.port.gid;
      assert.equal(Number(group), owner, name);
    }
    assert.match(groups, /egress/);
  });

  test("it is bounded: a group of its own, and descriptors", () => {
    assert.match(readOf(broker(), "cgroup") ?? "", new RegExp(`${guest.live.run}-egress`));
    assert.match(readOf(broker(), "limits") ?? "", /^Max open files +1024 +1024/m);
    assert.match(readOf(broker(), "limits") ?? "", /^Max core file size +0 +0/m);
  });

  test("the run passes, says what was refused, and its evidence verifies", async (t) => {
    guest.running.child.stdin?.end();
    const { code, stdout, stderr } = await guest.running.ended;
    assert.equal(code, 0, stderr);
    const summary = summaryOf(stdout);
    assert.equal(summary.verdict, "PASS");
    // Three authorities, one server name.
    assert.equal(summary.denied, 4);
    assert.ok(summary.findings.some((finding) => finding.code === "EXPLORATORY"));
    const verified = await drydock(["verify", summary.evidence], guest.state.environment, t);
    assert.equal(verified.code, 0, verified.stdout);
    const decisions = recordsOf(summary.evidence, "egress").filter(
      ({ type }) => type === "egress.decision",
    );
    assert.deepEqual(
      decisions.map((record) => (record["measurements"] as { reason: string }).reason),
      ["GRANTED", "AUTHORITY_NOT_GRANTED", "PORT_NOT_GRANTED", "IP_LITERAL", "GRANTED"],
    );
    const asked = new Set(outside.dns.queries.map(({ host }) => host));
    assert.deepEqual([...asked], [NAME]);
  });

  test("its channel is granted last, and shut before anything is collected", () => {
    const evidence = join(guest.state.directory, "runs", guest.live.run);
    const steps = recordsOf(evidence, "controller").flatMap(({ type, measurements, decision }) => {
      const { channel, name } = measurements as Record<string, string>;
      if (type === "channel.granted" || type === "channel.revoked") return [`${type} ${channel}`];
      return type === "phase" && decision === "entered" && name === "COLLECT" ? [name] : [];
    });
    assert.deepEqual(steps, [
      "channel.granted drydock.control.0",
      "channel.granted drydock.bulk.0",
      "channel.granted drydock.egress.0",
      "channel.revoked drydock.egress.0",
      "COLLECT",
      "channel.revoked drydock.control.0",
      "channel.revoked drydock.bulk.0",
    ]);
  });
});

describe("a broker that dies", () => {
  test("under a tunnel ends it, makes the run INCOMPLETE, and no other way opens", async (t) => {
    const outside = await openOutside(t);
    const { running, live, state } = await startGuest(t, outside, GRANT);
    running.child.stdin?.write(`hold ${NAME}:443 ${NAME}\n`);
    await running.says("holding\n");
    const [tunnel] = outside.upstream;
    assert.ok(tunnel !== undefined);
    const taken = closed(tunnel);
    const queries = outside.dns.queries.length;
    process.kill(live.pids.get("egress") ?? assert.fail("there is no broker"), "SIGKILL");
    await taken;
    const { code, stdout, stderr } = await running.ended;
    assert.equal(code, 122, stderr);
    const { verdict, findings, evidence } = summaryOf(stdout);
    assert.equal(verdict, "INCOMPLETE");
    assert.match(findings.map(({ message }) => message).join("\n"), /EGRESS_GONE/);
    assert.deepEqual([outside.upstream.length, outside.dns.queries.length], [1, queries]);
    const verified = await drydock(["verify", "--json", evidence], state.environment, t);
    const report = JSON.parse(verified.stdout) as { verdict: string; integrity: string };
    assert.deepEqual([report.verdict, report.integrity], ["INCOMPLETE", "intact"]);
    await untilTrue(() => leftoversOf(live, state).length === 0, CLEARED_WITHIN_MS, "the end");
  });
});

describe("a halt", () => {
  test("ends the tunnels before the guest, and no byte passes after it", async (t) => {
    const outside = await openOutside(t);
    const { running, live, state } = await startGuest(t, outside, GRANT);
    running.child.stdin?.write(`hold ${NAME}:443 ${NAME}\n`);
    await running.says("holding\n");
    const closed = new Promise((resolve) => outside.upstream[0]?.once("close", resolve));
    const halted = await drydock(["halt", "on", "--reason", "test"], state.environment, t);
    assert.equal(halted.code, 0, halted.stderr);
    await closed;
    const { stdout } = await running.ended;
    const { verdict, evidence } = summaryOf(stdout);
    assert.equal(verdict, "INCOMPLETE");
    const ends = recordsOf(evidence, "egress").filter(({ type }) => type === "egress.closed");
    assert.deepEqual(
      ends.map(({ measurements }) => (measurements as { reason: string }).reason),
      ["REVOKED"],
    );
    const steps = recordsOf(evidence, "controller")
      .filter(({ type }) => type === "channel.revoked" || type === "kill")
      .map(({ type, measurements }) =>
        [type, (measurements as { channel?: string }).channel ?? ""].join(" "),
      );
    assert.deepEqual(steps, [
      "channel.revoked drydock.egress.0",
      "channel.revoked drydock.control.0",
      "channel.revoked drydock.bulk.0",
      "kill ",
    ]);
    await untilTrue(() => leftoversOf(live, state).length === 0, CLEARED_WITHIN_MS, "the end");
  });
});

describe("a broker that hangs", () => {
  test("is noticed, and the run ends without it", async (t) => {
    const outside = await openOutside(t);
    const { running, live, state } = await startGuest(t, outside, GRANT);
    process.kill(live.pids.get("egress") ?? assert.fail("there is no broker"), "SIGSTOP");
    const { code, stdout } = await running.ended;
    assert.equal(code, 122);
    const { verdict, findings } = summaryOf(stdout);
    assert.equal(verdict, "INCOMPLETE");
    assert.match(findings.map(({ message }) => message).join("\n"), /EGRESS_SILENT/);
    await untilTrue(() => leftoversOf(live, state).length === 0, CLEARED_WITHIN_MS, "the end");
  });
});

describe("a run without a way out", () => {
  test("has no proxy, no channel to one, and no broker", async (t) => {
    const outside = await openOutside(t);
    const { ask, live, running } = await startGuest(t, outside, []);
    assert.equal(await ask("env HTTPS_PROXY"), "null");
    assert.equal(await ask("direct 127.0.0.1 3128"), "refused ECONNREFUSED");
    assert.equal(await ask(`direct ${PUBLIC} 443`), "refused ENETUNREACH");
    const { slot } = live;
    assert.ok(slot !== null);
    assert.equal(
      readdirSync(slot.sockets).some((name) => name.includes("egress")),
      false,
    );
    assert.equal(live.pids.has("egress"), false);
    const vmm = live.pids.get("vmm") ?? -1;
    assert.ok(readlinkSync(`/proc/${vmm}/exe`).includes("qemu"), "the positive control");
    assert.doesNotMatch(readOf(vmm, "cmdline") ?? "", /egress/);
    running.child.stdin?.end();
    assert.equal(summaryOf((await running.ended).stdout).denied, 0);
    assert.equal(outside.upstream.length + outside.dns.queries.length, 0);
  });
});
