import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { before, describe, test } from "node:test";
import {
  BEHIND_A_PAGE,
  enterPrivateNetwork,
  GRANTED_PROBES,
  isInPrivateNetwork,
  type Packet,
  PLAIN_PROBES,
  PROBING_PROGRAM,
  type Probe,
  RESOLVER,
  RULES,
  SILENT_PROBES,
  startWorld,
  WEB,
  type World,
} from "@drydock/broker/testing";
import { temporaryDirectory } from "@drydock/testkit";
import type { Summary } from "./commands/summary.js";
import { REAL_CLIENTS } from "./testing/egress/clients.js";
import { createSite, type Site } from "./testing/egress/site.js";
import { type Started, testHome } from "./testing/home.js";
import { suiteEndings } from "./testing/suite.js";

const IMAGE = "laboratory";
const IMAGE_PACKAGES = ["curl", "openssl"];

/** While there still is a network to get packages from. */
const buildImage = async (): Promise<void> => {
  const endings: (() => unknown)[] = [];
  const home = testHome({ after: (ending) => endings.push(ending) });
  const packages = IMAGE_PACKAGES.flatMap((name) => ["--package", name]);
  const build = ["image", "build", "debian", "--name", IMAGE, ...packages];
  const built = await home.run(build, { withinMs: BUILT_WITHIN_MS });
  for (const ending of endings) await ending();
  if (built.code !== 0) throw new Error(`image build debian: ${built.stderr}`);
};

const ENDED_WITHIN_MS = 1_800_000;
const BUILT_WITHIN_MS = 900_000;
if (!isInPrivateNetwork(import.meta.url)) await buildImage();

// Every address leads here, and whatever is sent to any is recorded and answered: what a guest
// doesn't reach was kept by Drydock, for nothing else would have.
enterPrivateNetwork(import.meta.url, { addresses: [], everyAddress: true });

const NAMES = ["api.example.com", "git.example.com", "registry.example.com"];
const OTHER = "other.example.com";

const POLICY = `
schema: drydock.egress/v1
authorities:
${NAMES.map((name) => `  - { name: ${name}, port: 443, protocol: tls, purpose: test }`).join("\n")}
  - { name: api.example.com, port: 9000, protocol: tcp-opaque, purpose: test }
  - name: ${WEB.host}
    port: ${WEB.port}
    protocol: http
    purpose: test
    requests: ${JSON.stringify(RULES)}
resolvers:
  - address: ${RESOLVER.address}
`;

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The probing program, in a guest or outside. */
interface Prober {
  probe(probes: readonly Probe[]): Promise<readonly string[]>;
  run(argv: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ran>;
}

const proberOver = async (output: Readable, input: Writable): Promise<Prober> => {
  const lines = createInterface({ input: output })[Symbol.asyncIterator]();
  const answer = async () => {
    const { value, done } = await lines.next();
    assert.notEqual(done, true, "the probing program ended");
    return JSON.parse(value);
  };
  await answer();
  const ask = (order: object) => {
    input.write(`${JSON.stringify(order)}\n`);
    return answer();
  };
  return {
    probe: async (probes) => (await ask({ probes })).results,
    run: (argv, env = {}) => ask({ run: argv, env }),
  };
};

const results = async (
  prober: Prober,
  probes: readonly Probe[],
): Promise<readonly (readonly [string, string])[]> => {
  const answers = await prober.probe(probes);
  return probes.map(({ technique, route, variant }, at) => [
    `${technique}, ${route}: ${variant}`,
    answers[at] ?? "nothing",
  ]);
};

/** Packets that went anywhere but to the resolver and to what is granted. */
const astray = (packets: readonly Packet[]): readonly Packet[] => {
  const allowed = [RESOLVER.address, WEB.v4, WEB.v6];
  return packets.filter(({ from, to }) => !allowed.includes(from) && !allowed.includes(to));
};

const ENVIRONMENT = {
  CURL_CA_BUNDLE: "/work/ca.pem",
  GIT_SSL_CAINFO: "/work/ca.pem",
  NODE_EXTRA_CA_CERTS: "/work/ca.pem",
  SSL_CERT_FILE: "/work/ca.pem",
  GIT_TERMINAL_PROMPT: "0",
  npm_config_update_notifier: "false",
};

describe("a guest with a way out", () => {
  const endings = suiteEndings();
  let site: Site;
  let world: World;
  let started: Started;
  let guest: Prober;
  let summaryFile: string;

  before(async () => {
    const directory = temporaryDirectory({ after: (ending) => endings.after(ending) });
    site = createSite(directory);
    world = await startWorld(endings, { names: NAMES, page: site.page });
    const source = join(directory, "source");
    mkdirSync(source);
    writeFileSync(join(source, "ca.pem"), world.certificate);
    copyFileSync(PROBING_PROGRAM, join(source, "guest.py"));
    const policy = join(directory, "policy.yaml");
    writeFileSync(policy, POLICY);
    summaryFile = join(directory, "summary.json");
    const home = testHome(endings);
    started = home.start(
      [
        ...[
          "run",
          "--json-file",
          summaryFile,
          "--stdin",
          "--image",
          IMAGE,
          "--user",
          "root",
          "--policy",
          policy,
        ],
        ...["--source", source, "--working-tree", "--timeout", "30m"],
        ...["--", "python3", "-u", "/work/guest.py"],
      ],
      { withinMs: ENDED_WITHIN_MS },
    );
    const { stdout, stdin } = started.child;
    assert(stdout !== null && stdin !== null);
    guest = await proberOver(stdout, stdin).catch(async (cause) => {
      throw new Error((await started.ended).stderr, { cause });
    });
  });

  test("sends no packet by anything but what is granted, and is told why at the door", async () => {
    await world.take();
    const found = await results(guest, SILENT_PROBES);
    assert.deepEqual(await world.take(), []);
    const wrong = found.filter(([, answer], at) => {
      const reason = SILENT_PROBES[at]?.reason ?? null;
      return reason === null ? !answer.startsWith("failed: ") : answer !== reason;
    });
    assert.deepEqual(wrong, []);
  });

  test("the same gets through where there is a network: outside of the guest", async (t) => {
    const outside = spawn("python3", ["-u", PROBING_PROGRAM], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    t.after(() => outside.kill("SIGKILL"));
    const prober = await proberOver(outside.stdout, outside.stdin);
    const found = await results(prober, PLAIN_PROBES);
    assert.deepEqual(
      found.filter(([, answer]) => answer !== "reached"),
      [],
    );
    await world.take();
  });

  test("gets what is granted, in each way that the rest was refused", async () => {
    const found = await results(guest, GRANTED_PROBES);
    assert.deepEqual(
      found.filter(([, answer]) => answer !== "200"),
      [],
    );
    const packets = await world.take();
    assert.ok(packets.some(({ to, payload }) => to === WEB.v4 && payload > 0));
    assert.deepEqual(astray(packets), []);
    assert.deepEqual(
      site.requests.filter((request) => /upgrade|http2-settings|proxy-/i.test(request)),
      [],
    );
  });

  test("gets no further behind a granted page than without it", async () => {
    const found = await results(guest, BEHIND_A_PAGE);
    assert.deepEqual(
      found.map(([, answer]) => answer),
      BEHIND_A_PAGE.map(({ reason }) => reason),
    );
    assert.deepEqual(astray(await world.take()), []);
  });

  for (const { name, granted, run, prints } of REAL_CLIENTS) {
    test(`${name}: what is granted, and no packet for anything else`, async () => {
      await world.take();
      const refused = await guest.run(run(OTHER), ENVIRONMENT);
      assert.notEqual(refused.code, 0, refused.stdout);
      assert.doesNotMatch(refused.stdout, prints);
      assert.deepEqual(await world.take(), []);
      const got = await guest.run(run(granted), ENVIRONMENT);
      assert.match(got.stdout, prints, got.stderr);
      assert.equal(got.code, 0, got.stderr);
      const packets = await world.take();
      assert.ok(
        packets.some(({ to, toPort, payload }) => to === WEB.v4 && toPort === 443 && payload > 0),
      );
      assert.deepEqual(astray(packets), []);
    });
  }

  test("another server name in a granted tunnel: a connection, and no byte on it", async () => {
    const ask = (name: string): readonly string[] => [
      "sh",
      "-c",
      `printf 'GET / HTTP/1.0\\r\\n\\r\\n' | openssl s_client -proxy 127.0.0.1:3128 -connect api.example.com:443 -servername ${name} -quiet -ign_eof`,
    ];
    const payloadUp = (packets: readonly Packet[]): number =>
      packets.filter(({ toPort }) => toPort === 443).reduce((sum, { payload }) => sum + payload, 0);
    await world.take();
    const refused = await guest.run(ask(OTHER));
    assert.doesNotMatch(refused.stdout, /hello/);
    assert.equal(payloadUp(await world.take()), 0);
    const got = await guest.run(ask("api.example.com"));
    assert.match(got.stdout, /hello from outside/, got.stderr);
    assert.ok(payloadUp(await world.take()) > 0);
  });

  test("a program that knows no proxy reaches nothing", async () => {
    const direct = [
      "curl",
      "-sS",
      "--max-time",
      "20",
      "--noproxy",
      "*",
      "https://api.example.com/",
    ];
    await world.take();
    assert.notEqual((await guest.run(direct, ENVIRONMENT)).code, 0);
    assert.deepEqual(await world.take(), []);
  });

  test("and its run says that it tried", async () => {
    started.child.stdin?.end();
    const { code, stderr } = await started.ended;
    assert.equal(code, 0, stderr);
    const summary: Summary = JSON.parse(readFileSync(summaryFile, "utf8"));
    assert.equal(summary.verdict, "PASS");
    assert.ok(summary.denied > 100, `${summary.denied}`);
    assert.equal(await world.end(), 0, "packets that nobody saw");
  });
});
