import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { Socket } from "node:net";
import { join } from "node:path";
import { describe, test } from "node:test";
import {
  A,
  a,
  enterPrivateNetwork,
  isInPrivateNetwork,
  response,
  send,
  startDnsServer,
} from "@drydock/broker/testing";
import { temporaryDirectory } from "@drydock/testkit";
import { CANARY_DIRECTORY } from "../contract/index.js";
import {
  buildBaseImage,
  drydock,
  startDrydock,
  type TestState,
  testState,
} from "../testing/command-line.js";
import { findRun, type LiveRun, readOf } from "../testing/live-run.js";
import { onlyRun } from "../testing/round.js";
import { untilTrue } from "../testing/until.js";
import { selfSigned } from "./testing/certificate.js";
import { SECRET_PROGRAM } from "./testing/secret-guest.js";

const PUBLIC = "93.184.216.34";
const NAME = "api.example";
const TARGET = `${NAME}:443`;
const VALUE = "sk-live-0123456789abcdefghijklmnop";

if (!isInPrivateNetwork(import.meta.url)) await buildBaseImage();
enterPrivateNetwork(import.meta.url, { addresses: [PUBLIC] });

/** Under emulation a first TLS handshake takes seconds. */
const ANSWER_WITHIN_MS = 60_000;

interface Ending {
  after(fn: () => unknown): void;
}

/** A private service, whose certificate no public root signs; `/echo` gives the token back. */
const openService = async (test: Ending) => {
  await startDnsServer(
    test,
    (query) => send(response(query, { answers: query.type === A ? [a(query.name, PUBLIC)] : [] })),
    { port: 53 },
  );
  const { key, cert, path } = selfSigned(test, NAME);
  const seen: { url: string; token: string }[] = [];
  const sockets: Socket[] = [];
  const server = createServer({ key, cert }, ({ url = "", headers }, reply) => {
    const token = headers.authorization ?? "";
    seen.push({ url, token });
    reply.end(url === "/echo" ? `you sent ${token}` : "hello");
  });
  server.on("connection", (socket: Socket) => sockets.push(socket));
  server.listen(443, PUBLIC);
  await once(server, "listening");
  test.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { roots: path, seen };
};

interface Ran {
  readonly live: LiveRun;
  readonly state: TestState;
  readonly answers: ReadonlyMap<string, string>;
  readonly output: string;
  readonly summary: {
    readonly verdict: string;
    readonly evidence: string;
    readonly findings: readonly { readonly code: string; readonly message: string }[];
  };
}

/** A run that is given a secret and a canary, and carries out `orders` one after the other. */
const runWith = async (
  test: Ending,
  service: { readonly roots: string },
  orders: readonly string[],
  whileRunning: (live: LiveRun) => void = () => undefined,
): Promise<Ran> => {
  const state = testState(test);
  const file = join(temporaryDirectory(test), "key");
  writeFileSync(file, `${VALUE}\n`, { mode: 0o600 });
  const running = startDrydock(
    [
      ...["run", "--stdin", "--json", "--allow", TARGET, "--resolver", "127.0.0.1"],
      ...["--secret", `API_KEY=${file}@${TARGET}`, "--upstream-roots", service.roots],
      ...["--canary", "BACKUP_KEY", "--artifact", "kept", "--", "node", "-e", SECRET_PROGRAM],
    ],
    state.environment,
    test,
  );
  const said: string[] = [];
  running.child.stderr?.on("data", (text: string) => said.push(text));
  await running.says("ready\n");
  const live = findRun(onlyRun(state), running.child.pid ?? 0);
  const answers = new Map<string, string>();
  for (const order of orders) {
    running.child.stdin?.write(`${order}\n`);
    const answer = (): string | undefined =>
      said
        .join("")
        .split("\n")
        .find((line) => line.startsWith(`${order}: `));
    await untilTrue(() => answer() !== undefined, ANSWER_WITHIN_MS, `an answer to ${order}`);
    answers.set(order, answer()?.slice(order.length + 2) ?? "");
  }
  whileRunning(live);
  running.child.stdin?.end();
  const { stdout, stderr } = await running.ended;
  const summary = JSON.parse(stdout || assert.fail(stderr)) as Ran["summary"];
  return { live, state, answers, output: stdout + stderr, summary };
};

/** The image store is a link, and isn't the run's. */
const filesUnder = (directory: string): readonly string[] =>
  readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    return entry.isDirectory() ? filesUnder(path) : entry.isFile() ? [path] : [];
  });

const codesOf = ({ summary }: Ran): readonly string[] =>
  summary.findings.map(({ code }) => code).filter((code) => /CANARY|SECRET/.test(code));

const verified = async (test: Ending, { summary, state }: Ran): Promise<unknown> => {
  const { stdout } = await drydock(["verify", "--json", summary.evidence], state.environment, test);
  const { verdict, integrity } = JSON.parse(stdout) as { verdict: string; integrity: string };
  return [verdict, integrity];
};

describe("a run with a secret and a canary", () => {
  test("sends the value to its authority alone, and passes; the guest has a placeholder", async (t) => {
    const service = await openService(t);
    const ran = await runWith(
      t,
      service,
      [
        "env API_KEY",
        `ask ${TARGET} /models API_KEY`,
        `holds BACKUP_KEY ${CANARY_DIRECTORY}/BACKUP_KEY`,
      ],
      ({ pids }) => {
        // The launcher's are the test's own: it was told a file's name.
        for (const [role, pid] of pids)
          for (const file of ["cmdline", "environ"])
            assert.equal(readOf(pid, file)?.includes(VALUE) ?? false, false, `${role} ${file}`);
      },
    );
    assert.match(ran.answers.get("env API_KEY") ?? "", /^DRYDOCK_SECRET_API_KEY_[0-9a-f]{32}$/);
    assert.equal(ran.answers.get(`ask ${TARGET} /models API_KEY`), '"hello"');
    assert.deepEqual(service.seen, [{ url: "/models", token: `Bearer ${VALUE}` }]);
    assert.equal(ran.answers.get(`holds BACKUP_KEY ${CANARY_DIRECTORY}/BACKUP_KEY`), "yes");
    assert.equal(ran.summary.verdict, "PASS", ran.output);
    assert.deepEqual(codesOf(ran), []);
    assert.deepEqual(await verified(t, ran), ["PASS", "intact"]);
    const kept = filesUnder(ran.state.directory);
    assert.ok(kept.some((file) => file.endsWith("egress.jsonl")));
    for (const file of kept) assert.equal(readFileSync(file).includes(VALUE), false, file);
    assert.equal(ran.output.includes(VALUE), false);
    const { egress, canaries } = JSON.parse(
      readFileSync(join(ran.summary.evidence, "manifest.json"), "utf8"),
    ) as { egress: { secrets: readonly { name: string; authority: string }[] }; canaries: unknown };
    assert.deepEqual(
      egress.secrets.map(({ name, authority }) => [name, authority]),
      [["API_KEY", TARGET]],
    );
    assert.deepEqual(canaries, ["BACKUP_KEY"]);
  });

  test("a service that gives the secret back is cut before the guest has it: FAIL", async (t) => {
    const service = await openService(t);
    const ran = await runWith(t, service, [`ask ${TARGET} /echo API_KEY`]);
    assert.deepEqual(service.seen, [{ url: "/echo", token: `Bearer ${VALUE}` }]);
    const [answer = ""] = ran.answers.values();
    // The response's head may have passed before; nothing of its body does.
    assert.match(answer, /^refused /);
    assert.equal(ran.output.includes(VALUE), false);
    assert.equal(ran.summary.verdict, "FAIL");
    assert.deepEqual(codesOf(ran), ["SECRET_RETURNED"]);
    assert.deepEqual(await verified(t, ran), ["FAIL", "intact"]);
  });

  test("a canary that leaves is FAIL: in output, in an artifact, and in a request that is cut", async (t) => {
    const service = await openService(t);
    const ran = await runWith(t, service, [
      "print BACKUP_KEY",
      "keep BACKUP_KEY /work/kept",
      `send ${TARGET} BACKUP_KEY`,
    ]);
    assert.match(ran.answers.get(`send ${TARGET} BACKUP_KEY`) ?? "", /^refused /);
    assert.deepEqual(service.seen, []);
    assert.equal(ran.summary.verdict, "FAIL");
    const sightings = ran.summary.findings.flatMap(({ code, message }) =>
      code === "CANARY_SIGHTED" ? [message.replace(/^.*record \d+: /, "")] : [],
    );
    assert.deepEqual([...sightings].sort(), [
      "BACKUP_KEY base64 drydock.bulk.0 stdout",
      'BACKUP_KEY in "kept"',
      "BACKUP_KEY plain drydock.bulk.0 collect",
      `BACKUP_KEY to ${TARGET}`,
    ]);
    assert.deepEqual(await verified(t, ran), ["FAIL", "intact"]);
  });
});
