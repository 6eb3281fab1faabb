import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type HostObservation, readHostObservation, signHostObservation } from "@drydock/boundary";
import { type EngineLab, startEngineLab } from "@drydock/boundary/testing";
import { digestOf, signingKeyFromPem } from "@drydock/evidence";
import { temporaryDirectory } from "@drydock/testkit";
import { type Ending, type TestHome, testHome } from "../../testing/home.js";
import { type Seat, workbenchImage, writeSeat } from "../../testing/seat.js";

const OWNER = "dd-gate";
/** A gate takes seconds, and minutes on a machine that is busy. */
const WITHIN_MS = 600_000;
const OTHER = digestOf(Buffer.from("another"));

describe("the gate of an appliance, as its operator asks it", () => {
  // In the order in which they were made: an engine ends before its directory is removed.
  const made: (() => unknown)[] = [];
  after(async () => {
    for (const ending of made) await ending();
  });
  const endings: Ending = { after: (ending) => made.push(ending) };
  let lab: EngineLab;
  let home: TestHome;
  let image: string;
  let seat: Seat;

  const asking = (args: readonly string[]) => home.run(args, { withinMs: WITHIN_MS });
  const placeOf = () => ["--namespace", lab.namespace];
  const engineOf = (socket = lab.socket) => [
    ...placeOf(),
    ...["--docker-socket", socket, "--owner", OWNER],
  ];
  const directoryOf = ({ policy }: Seat) => join(policy, "..");
  const releasedBy = (one: Seat, policy = one.policy) => [
    ...["--policy", policy, "--release", join(directoryOf(one), "manifest.json")],
    ...["--signature", join(directoryOf(one), "manifest.sig.json"), "--key", one.owner.pem],
  ];

  const released = async (options: Parameters<typeof writeSeat>[2] = {}): Promise<Seat> => {
    const one = writeSeat(temporaryDirectory(endings), image, options);
    const { code, stderr } = await home.run(one.release);
    assert.equal(code, 0, stderr);
    return one;
  };

  const apply = async (one: Seat): Promise<void> => {
    const { code, stderr } = await asking([
      ...["boundary", "apply", one.plan, ...releasedBy(one), "--platform", one.platform],
      ...[...engineOf(), "--binding", one.binding, "--json"],
    ]);
    assert.equal(code, 0, stderr);
  };

  /** A file with what is seen from outside now, by the verb. */
  const look = async (one: Seat, key = one.observer.key): Promise<string> => {
    const file = join(temporaryDirectory(endings), "host.json");
    const { code, stderr } = await asking([
      ...["boundary", "observe-host", ...releasedBy(one), ...placeOf()],
      ...["--binding", one.binding, "--observer-key", key, "--output", file],
    ]);
    assert.equal(code, 0, stderr);
    return file;
  };

  interface Asked {
    readonly seat?: Seat;
    readonly policy?: string;
    readonly phase?: string;
    readonly observation?: string | null;
    readonly binding?: string;
    readonly socket?: string;
    readonly more?: readonly string[];
  }

  const ask = async (asked: Asked = {}) => {
    const { seat: one = seat, phase = "start", policy, binding = one.binding, more = [] } = asked;
    const observation = asked.observation === undefined ? await look(one) : asked.observation;
    const { code, stdout, stderr } = await asking([
      ...["boundary", "gate", one.plan, "--phase", phase, ...releasedBy(one, policy)],
      ...["--platform", one.platform, ...engineOf(asked.socket), "--binding", binding],
      ...["--host-key", one.observer.pem],
      ...(observation === null ? [] : ["--host-observation", observation]),
      ...(more.includes("--audience") ? more : ["--json", ...more]),
    ]);
    return { code, stdout, stderr };
  };

  const judged = async (asked: Asked = {}) => {
    const { code, stdout, stderr } = await ask(asked);
    assert.notEqual(stdout, "", stderr);
    const report = JSON.parse(stdout);
    const codes: readonly string[] = report.findings.map(
      (finding: { readonly code: string }) => finding.code,
    );
    return { code, report, codes };
  };

  const isOpen = async (asked: Asked = {}) => {
    const { code, report, codes } = await judged(asked);
    assert.deepEqual([code, codes, report.outcome, report.verdict], [0, [], "OPEN", "PASS"]);
    return report;
  };

  const isShut = async (asked: Asked, ...expected: readonly string[]) => {
    const { code, report, codes } = await judged(asked);
    assert.deepEqual(codes, expected, JSON.stringify(report.findings));
    assert.deepEqual([code, report.outcome, report.verdict], [1, "SHUT", "FAIL"]);
    return report;
  };

  const verify = async (directory: string) => {
    const { stdout } = await home.run(["verify", directory, "--json", "--rederive"]);
    return JSON.parse(stdout);
  };

  before(async () => {
    home = testHome(endings);
    lab = await startEngineLab(endings);
    image = await workbenchImage(lab);
    await lab.docker(
      ...["run", "-d", "--network", "none", "--label", "x.role=deployer"],
      ...["-v", `${lab.socket}:/run/docker.sock`, "lab:1", "/bin/sleep", "3600"],
    );
    seat = await released();
    await apply(seat);
  });

  test("is open where everything is as it was signed, and its evidence says so", async () => {
    const report = await isOpen();
    assert.equal(report.workbenchPolicyVersion, "participant-workbench-profile/v1");
    assert.deepEqual(
      report.guest.holders.map(({ selector }: { readonly selector: string }) => selector),
      ["x.role=deployer"],
    );
    const { ok, verdict, findings } = await verify(report.evidence);
    assert.deepEqual([ok, verdict], [true, "PASS"], JSON.stringify(findings));
    const log = readFileSync(join(report.evidence, "logs/controller.jsonl"), "utf8");
    for (const type of ["readback", "meaning", "probe", "holders", "host-observation", "gate"])
      assert.ok(log.includes(`"boundary.${type}"`), type);
    assert.ok(!/10\.60\.|10\.99\./.test(log), "no address is recorded");
    const list = JSON.parse((await home.run(["trials", "list", "--json"])).stdout);
    assert.deepEqual(
      list.boundaries.map(({ phase, status }: Record<string, string>) => [phase, status]),
      [
        ["start", "PASS"],
        ["apply", "PASS"],
      ],
    );
    for (const [name, from, to] of [
      ["logs/controller.jsonl", '"decision":"open"', '"decision":"shut"'],
      ["logs/controller.jsonl", '"decision":"exact"', '"decision":"exbct"'],
      ["manifest.json", '"phase":"start"', '"phase":"stars"'],
    ] as const) {
      const copy = join(temporaryDirectory(endings), "copy");
      cpSync(report.evidence, copy, { recursive: true });
      const text = readFileSync(join(copy, name), "utf8");
      assert.ok(text.includes(from), from);
      writeFileSync(join(copy, name), text.replace(from, to));
      assert.equal((await verify(copy)).ok, false, to);
    }
  });

  /** The outside view of now, changed in one thing and signed by its observer all the same. */
  const changed = async (
    change: (seen: HostObservation) => Partial<HostObservation>,
  ): Promise<string> => {
    const signed = readHostObservation(readFileSync(await look(seat)));
    assert.ok(signed !== null);
    const key = signingKeyFromPem(readFileSync(seat.observer.key, "utf8"));
    const file = join(temporaryDirectory(endings), "changed.json");
    const { observation } = signed;
    writeFileSync(file, signHostObservation({ ...observation, ...change(observation) }, key));
    return file;
  };
  const ago = (ms: number) => ({ observedAt: new Date(Date.now() - ms).toISOString() });

  const OUTSIDE: readonly (readonly [string, () => Promise<string | null>])[] = [
    ["observation-missing", async () => null],
    ["observation-stale", () => changed(() => ago(3_601_000))],
    ["observation-future", () => changed(() => ago(-7_200_000))],
    ["boot-identity-mismatch", () => changed(({ bootId }) => ({ bootId: flipped(bootId) }))],
    ["policy-digest-mismatch", () => changed(() => ({ policyDigest: OTHER }))],
    ["observation-untrusted", () => look(seat, seat.stranger.key)],
    [
      "listener-mapping-mismatch",
      () =>
        changed(({ listeners }) => ({
          listeners: listeners.map((listener) =>
            listener.port === 3000 && listener.guest !== null
              ? { ...listener, guest: { ...listener.guest, port: 22 } }
              : listener,
          ),
        })),
    ],
  ];
  for (const [finding, observation] of OUTSIDE) {
    test(`is shut with an outside look that is ${finding}`, async () => {
      await isShut({ observation: await observation() }, `boundary.host-${finding}`);
    });
  }

  test("is shut with a look at an earlier launch, however fresh", async () => {
    const earlier = await look(seat);
    await apply(seat);
    await isShut({ observation: earlier }, "boundary.host-observation-identity-mismatch");
  });

  test("is looked at from outside once a launch is bound, for which whoever looks waits", async () => {
    const directory = temporaryDirectory(endings);
    const binding = join(directory, "binding.json");
    const output = join(directory, "host.json");
    const { child, says, ended } = home.start(
      [
        ...["boundary", "observe-host", ...releasedBy(seat), ...placeOf(), "--every", "1"],
        ...["--binding", binding, "--observer-key", seat.observer.key, "--output", output],
      ],
      { withinMs: WITHIN_MS },
    );
    await says("waiting for a launch to be bound");
    assert.equal(existsSync(output), false);
    cpSync(seat.binding, binding);
    await says("looking");
    await isOpen({ observation: output, binding });
    // Control: one that is there and isn't one is no launch that somebody waits for.
    writeFileSync(binding, "{}");
    await says("FILE_INVALID");
    child.kill("SIGINT");
    const { code, stderr } = await ended;
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stderr, /FILE_UNREADABLE/);
  });

  test("is shut with an outside look that shows a listener nobody signed", async (t) => {
    const listener = spawn(
      "nsenter",
      [`--net=${lab.namespace}`, "--", process.execPath, "--eval", LISTENER],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    t.after(() => listener.kill("SIGKILL"));
    await once(listener.stdout, "data");
    await isShut({}, "boundary.host-listener-unapproved");
  });

  test("is shut for another boot or engine than the launch was bound to", async () => {
    const document = JSON.parse(readFileSync(seat.binding, "utf8"));
    const binding = join(temporaryDirectory(endings), "binding.json");
    const { guestBootId } = document;
    const other = { guestBootId: flipped(guestBootId), guestDaemonId: "ANOTHER" };
    writeFileSync(binding, JSON.stringify({ ...document, ...other }));
    await isShut(
      { binding },
      "boundary.guest-boot-identity-mismatch",
      "boundary.guest-daemon-identity-mismatch",
      "boundary.docker-daemon-mismatch",
    );
  });

  test("is shut, and looks at nothing, with a policy that the release doesn't name", async () => {
    const policy = join(temporaryDirectory(endings), "policy.json");
    const text = readFileSync(seat.policy, "utf8");
    writeFileSync(policy, text.replace('"generation":1', '"generation":2'));
    const { code, codes, report } = await judged({ policy });
    assert.deepEqual([code, report.verdict], [1, "FAIL"]);
    assert.ok(codes.includes("boundary.release-policy-digest-mismatch"));
    assert.ok(codes.includes("boundary.guest-observation-incomplete"));
    const { ok, verdict } = await verify(report.evidence);
    assert.deepEqual([ok, verdict], [true, "FAIL"]);
  });

  test("asks for the way out as well before an image is released", async () => {
    const { code, codes } = await judged({ phase: "image-qualification" });
    assert.equal(code, 1);
    // Nobody answers where this laboratory's broker would be: each is told of, and nothing else is.
    assert.ok(
      codes.some((found) => found.startsWith("boundary.egress-probe")),
      codes.join(),
    );
    for (const found of codes)
      assert.match(found, /^boundary\.(egress-probe.*|guest-observation-gap)$/);
  });

  test("is shut while somebody else can tell the engine what to do, whom a participant isn't told of", async () => {
    const intruder = await lab.docker(
      ...["run", "-d", "--name", "intruder", "--network", "none"],
      ...["-v", `${lab.socket}:/elsewhere.sock`, "lab:1", "/bin/sleep", "3600"],
    );
    const report = await isShut({}, "boundary.docker-authority-unapproved");
    assert.equal(report.findings[0].about, "intruder");
    const more = ["--audience", "participant"];
    const told = await ask({ more });
    assert.deepEqual([told.code, told.stdout, told.stderr], [1, "needs-operator\n", ""]);
    await lab.docker("rm", "-f", intruder);
    const ready = await ask({ more });
    assert.deepEqual([ready.code, ready.stdout, ready.stderr], [0, "ready\n", ""]);
    const unable = await ask({ binding: "/nowhere", more });
    assert.deepEqual([unable.code, unable.stdout, unable.stderr], [1, "needs-operator\n", ""]);
  });

  test("is shut while somebody has the engine's socket by another name than it was given", async () => {
    const place = dirname(lab.socket);
    await lab.docker(
      ...["volume", "create", "--opt", "type=none", "--opt", "o=bind"],
      ...["--opt", `device=${place}`, "innocent"],
    );
    const link = join(temporaryDirectory(endings), "engine.sock");
    symlinkSync(lab.socket, link);
    for (const [source, socket] of [
      ["innocent", lab.socket],
      // Its containerd's, of which nobody was told.
      [join(place, "exec/containerd"), lab.socket],
      [place, link],
    ] as const) {
      const idle = ["-v", `${source}:/x`, "lab:1", "/bin/sleep", "3600"];
      await lab.docker("run", "-d", "--name", "hidden", "--network", "none", ...idle);
      const report = await isShut({ socket }, "boundary.docker-authority-unapproved");
      assert.equal(report.findings[0].about, "hidden");
      await lab.docker("rm", "-f", "hidden");
    }
    await lab.docker("volume", "rm", "innocent");
    await isOpen({ socket: link });
  });

  test("is shut while somebody's port is on a bridge, which observe and apply name as well", async () => {
    const links = JSON.parse(await lab.run(["ip", "-json", "link", "show", "type", "bridge"]));
    const bridge = links.find(({ ifname }: { readonly ifname: string }) => /^dd-/.test(ifname));
    await lab.run(["ip", "link", "add", "hand", "type", "veth", "peer", "name", "beside"]);
    await lab.run(["ip", "link", "set", "hand", "master", bridge.ifname]);
    const observe = () =>
      asking([
        ...["boundary", "observe", seat.plan, ...releasedBy(seat), "--platform", seat.platform],
        ...[...engineOf(), "--json"],
      ]);
    const { code, stdout } = await observe();
    const { proven, strayPorts, differences } = JSON.parse(stdout);
    const found = [{ bridge: bridge.ifname, port: "hand" }];
    assert.deepEqual([code, proven, strayPorts, differences], [1, false, found, []]);
    const report = await isShut({}, "boundary.guest-stray-port");
    assert.equal(report.findings[0].about, `port "hand" of bridge ${bridge.ifname}`);
    await lab.run(["ip", "link", "delete", "hand"]);
    assert.equal((await observe()).code, 0, "control: the engine's own ports alone");
    await isOpen();
  });

  test("names the rule that somebody deleted, and is open when it is there again", async () => {
    const [table = "", chain = "", handle = ""] = ruleCalled(
      await lab.run(["nft", "-a", "list", "ruleset"]),
      "rule/http/in",
    );
    await lab.run(["nft", "delete", "rule", "inet", table, chain, "handle", handle]);
    const { code, codes, report } = await judged();
    assert.equal(code, 1);
    assert.ok(codes.includes("boundary.guest-readback-difference"), codes.join());
    assert.match(JSON.stringify(report.findings), /rule\/http\/in/);
    await apply(seat);
    await isOpen();
  });

  test("isn't provisioned where the policy asks for a dispatcher, which no version has", async () => {
    const wanting = await released({ hostMcp: true });
    await apply(wanting);
    const { code, codes, report } = await judged({ seat: wanting });
    assert.deepEqual(codes, ["boundary.host-mcp-not-provisioned"]);
    assert.deepEqual([code, report.outcome], [6, "NOT_PROVISIONED"]);
  });
});

const LISTENER = `require("node:net").createServer().listen(9999, "127.0.0.1", () => console.log("up"))`;

/** Another one of the same form. */
const flipped = (id: string): string => (id.startsWith("0") ? "1" : "0") + id.slice(1);

/** Table, chain and handle of the first rule in `inet` whose comment ends so. */
const ruleCalled = (listing: string, identity: string): readonly string[] => {
  let at: readonly string[] = [];
  for (const line of listing.split("\n")) {
    const [, family, table] = /^table (\S+) (\S+)/.exec(line) ?? [];
    const [, chain] = /^\s+chain (\S+)/.exec(line) ?? [];
    const [, handle] = /# handle (\d+)$/.exec(line) ?? [];
    if (family !== undefined && table !== undefined) at = [family, table];
    if (chain !== undefined) at = [at[0] ?? "", at[1] ?? "", chain];
    else if (at[0] === "inet" && line.includes(`${identity}"`) && handle !== undefined)
      return [at[1] ?? "", at[2] ?? "", handle];
  }
  throw new Error(`no rule is called ${identity}`);
};
