import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { profile } from "@drydock/testkit";
import { driftFindings } from "../gate/index.js";
import { Resident } from "../nft/resident.js";
import { observeGuest } from "../observe/index.js";
import { expectedOn, see } from "../realise/index.js";
import { tableName } from "../ruleset/index.js";
import { bringUp, startStream, startWatch, type WatchedLab } from "./testing/watched-lab.js";

const OWNER = "dd-closes";
/** What passed within so long after the last byte was already on its way. */
const SETTLE_MS = 1_500;
/**
 * A second is promised where the machine isn't starved. Whether this one is, a test can't tell: the
 * figure is printed, and soak, which is run by itself, holds the bound.
 */
const BOUND_MS = profile.name === "soak" ? 1_000 : Number.POSITIVE_INFINITY;

interface Change {
  readonly what: string;
  /** Returns once it is done. */
  readonly change: () => Promise<unknown>;
  readonly mend: () => Promise<unknown>;
  /** Part of the code and of what it is about. */
  readonly finding: RegExp;
  /** Nobody tells of it, and nothing of it passes: it is seen at the period's end, by two looks. */
  readonly isUntold?: boolean;
}

/** Who waits in the namespace to do something at once, so that what is measured isn't its start. */
const hands = (t: TestContext, { namespace }: WatchedLab) => {
  const open = (tool: "nft" | "bash" | "ip", args: readonly string[]) => {
    const resident = new Resident(namespace, tool, args, { maxBytes: 1 << 24 });
    t.after(() => resident[Symbol.dispose]());
    return resident;
  };
  const nft = open("nft", ["-j", "-i"]);
  const ip = open("ip", ["-json", "-force", "-batch", "-"]);
  const shell = open("bash", ["-c", 'while read -r line; do eval "$line"; echo done; done']);
  return {
    nft: (text: string) => nft.ask(`${text}\nlist tables`),
    ip: (text: string) => ip.ask(`${text}\nlink show lo`),
    sh: (text: string) => shell.ask(text),
  };
};

const changesOf = (boundary: WatchedLab, { nft, ip, sh }: ReturnType<typeof hands>) => {
  const { lab, aim, apply, sources } = boundary;
  const scenario = tableName(OWNER, "scenario");
  const platform = tableName(OWNER, "platform");
  const nothing = async () => undefined;
  const bridge = aim.desired.networks.find(({ spec }) => spec.name.endsWith("-lan"))?.spec.bridge;
  const pidOf = (name: string) =>
    lab.docker("inspect", "--format", "{{.State.Pid}}", `${OWNER}-${name}`);
  const setting = (name: string, wrong: string, right: string): Change => ({
    what: `${name} = ${wrong}`,
    change: () => sh(`echo ${wrong} > /proc/sys/${name}`),
    mend: () => sh(`echo ${right} > /proc/sys/${name}`),
    finding: new RegExp(`readback-difference setting.*${name.split("/").at(-1)}`),
  });
  const rules: readonly Change[] = [
    {
      what: "an accept first in the scenario's forward chain",
      change: () => nft(`insert rule inet ${scenario} forward accept`),
      mend: nothing,
      finding: /readback-difference/,
    },
    {
      what: "a chain flushed",
      change: () => nft(`flush chain bridge ${platform} prerouting`),
      mend: nothing,
      finding: /readback-difference/,
    },
    {
      what: "a chain's policy",
      change: () => nft(`add chain inet ${scenario} forward { policy drop; }`),
      mend: nothing,
      finding: /readback-difference/,
    },
    {
      what: "a table made dormant",
      change: () => nft(`add table inet ${scenario} { flags dormant; }`),
      mend: nothing,
      finding: /readback-difference table-flags/,
    },
    {
      what: "both tables deleted",
      change: () => nft(`delete table inet ${scenario}; delete table bridge ${scenario}`),
      mend: nothing,
      finding: /readback-difference table-missing/,
    },
    {
      what: "somebody else's table in the place of ours",
      change: () =>
        nft(
          `delete table inet ${scenario}; add table inet ${scenario}; add chain inet ${scenario} c`,
        ),
      mend: nothing,
      finding: /readback-difference table-foreign/,
    },
    setting("net/ipv4/ip_forward", "0", "1"),
    ...(aim.realisation === "br_netfilter"
      ? [setting("net/bridge/bridge-nf-call-iptables", "0", "1")]
      : []),
    {
      what: "a bridge that learns from LLDP",
      change: () => ip(`link set ${bridge} type bridge no_linklocal_learn 0`),
      mend: () => ip(`link set ${bridge} type bridge no_linklocal_learn 1`),
      finding: /readback-difference setting.*no_linklocal_learn/,
    },
    {
      what: "IPv6 in a container",
      change: async () =>
        lab.run([
          ...["nsenter", `--net=/proc/${await pidOf("mail")}/ns/net`, "--"],
          ...[
            "sh",
            "-c",
            "echo 0 > /proc/sys/net/ipv6/conf/eth0/disable_ipv6; ip -6 address add fd00::9/64 dev eth0",
          ],
        ]),
      mend: async () =>
        lab.run([
          ...["nsenter", `--net=/proc/${await pidOf("mail")}/ns/net`, "--"],
          ...["ip", "-6", "address", "del", "fd00::9/64", "dev", "eth0"],
        ]),
      finding: /binding-refused BIND_IPV6/,
    },
    {
      what: "a container attached to a network of the scenario's",
      change: async () => {
        await lab.docker(
          "run",
          "-d",
          "--network",
          "none",
          "--name",
          "stranger",
          "lab:1",
          "/bin/sleep",
          "900",
        );
        await lab.docker("network", "disconnect", "none", "stranger");
        await lab.docker("network", "connect", `${OWNER}-lan`, "stranger");
      },
      mend: () => lab.docker("rm", "-f", "stranger"),
      finding: /binding-refused BIND_FOREIGN_CONTAINER/,
    },
    {
      what: "a port put upon a bridge by hand",
      change: () =>
        ip(`link add hand type veth peer name beside\nlink set hand master ${bridge} up`),
      mend: () => ip("link delete hand"),
      isUntold: true,
      finding: /guest-stray-port port "hand" of bridge dd-/,
    },
    {
      what: "an anchor attached to a network of the scenario's",
      change: () =>
        lab.docker("network", "connect", `${OWNER}-lan`, `${OWNER}-platform-management`),
      mend: () =>
        lab.docker("network", "disconnect", "-f", `${OWNER}-lan`, `${OWNER}-platform-management`),
      finding: /binding-refused BIND_ANCHOR_ON_SCENARIO/,
    },
    {
      what: "a platform label on somebody else's network",
      change: () =>
        lab.docker(
          ...["network", "create", "-o", "com.docker.network.bridge.name=br-forged"],
          ...["--label", labelOf(boundary), "--subnet", "10.88.0.0/24", "forged"],
        ),
      mend: () => lab.docker("network", "rm", "forged"),
      finding: /binding-refused BIND_/,
    },
    {
      what: "another table that accepts before ours, with which no floor is proven",
      change: () =>
        nft(
          "add table inet other; add chain inet other c { type filter hook forward priority -400; }; add rule inet other c accept",
        ),
      mend: async () => {
        assert.equal(
          await lab.docker("ps", "-q", "--filter", `label=dev.drydock.owner=${OWNER}`),
          "",
          "nothing of it runs",
        );
        await nft("delete table inet other");
        await apply();
      },
      finding: /readback-difference foreign-accept/,
    },
    {
      what: "a container replaced under its name",
      change: async () => {
        await lab.docker("rm", "-f", `${OWNER}-mail`);
        await lab.docker(
          ...["run", "-d", "--name", `${OWNER}-mail`, "--network", `${OWNER}-dmz`],
          ...["--ip", "10.60.2.9", "lab:1", "/bin/sleep", "3600"],
        );
      },
      mend: async () => {
        await lab.docker("rm", "-f", `${OWNER}-mail`);
        await apply();
      },
      finding:
        /BIND_NODE_UNREALISED|not the container that was (made|watched)|BIND_FOREIGN_CONTAINER/,
    },
  ];
  const reopen = async () => {
    const { rulesets } = expectedOn(aim, (await see(aim, sources)).topology);
    for (const ruleset of rulesets) {
      await sources.kernel.load(
        ruleset,
        rulesets.filter((other) => other !== ruleset),
      );
    }
  };
  return { rules, reopen };
};

const labelOf = ({ aim }: WatchedLab): string => {
  const { key, value } = aim.wanted.platform.policy.networks.management;
  return `${key}=${value}`;
};

test("an appliance that is watched closes, whatever is done to it", async (t) => {
  const boundary = await bringUp(t, OWNER);
  const { aim, binding, images, sources } = boundary;
  const { policy } = aim.wanted.platform;
  const hand = hands(t, boundary);
  const { rules, reopen } = changesOf(boundary, hand);
  const web = { from: "workstation", to: "web", address: "10.60.2.8", port: "80" };

  await t.test("control: what changes nothing leaves it open", async (each) => {
    const watch = await startWatch(boundary, each);
    const stream = await startStream(boundary, each, web);
    const since = performance.now();
    await hand.nft(
      "add table inet other; add chain inet other c { type filter hook forward priority -400; }; add rule inet other c counter",
    );
    await hand.sh("echo 1 > /proc/sys/net/ipv4/ip_forward");
    await boundary.lab.docker("network", "create", "--subnet", "10.88.0.0/24", "plain");
    await watch.until((event) => event.kind === "observed", since);
    await watch.until((event) => event.kind === "observed", performance.now());
    assert.deepEqual(watch.reports, []);
    assert.ok(stream.lastAt() > since);
    await watch.stop();
    await stream.stop();
    await boundary.lab.docker("network", "rm", "plain");
    await hand.nft("delete table inet other");
  });

  for (const { what, change, mend, finding, isUntold = false } of rules) {
    await t.test(what, async (each) => {
      const watch = await startWatch(boundary, each);
      const stream = await startStream(boundary, each, web);
      assert.deepEqual(watch.reports, [], "control");
      const since = performance.now();
      await change();
      const done = performance.now();
      const isClosed = ({ kind, ...event }: Parameters<Parameters<typeof watch.until>[0]>[0]) =>
        kind === "dropped" || (kind === "failed" && "what" in event && event.what === "drop");
      let proven = 0;
      let last = 0;
      let isSilent = false;
      try {
        proven = await watch.until(isClosed, since);
        await pause(SETTLE_MS);
        last = Math.round(stream.lastAt() - since);
        isSilent = performance.now() - stream.lastAt() >= SETTLE_MS;
      } finally {
        await watch.stop();
        await stream.stop();
        await mend();
        await reopen();
      }
      const took = Math.round(done - since);
      each.diagnostic(
        `${what}: last byte after ${last} ms, floor proven after ${proven} ms (the change took ${took} ms)`,
      );
      const said = watch.reports.map(({ code, about }) => `${code} ${about}`);
      assert.ok(
        said.some((text) => finding.test(text)),
        said.join("; "),
      );
      assert.ok(isSilent, "nothing passes");
      assert.ok(last - took < BOUND_MS * (isUntold ? 4 : 1), `${last} ms`);
      const guest = await observeGuest(aim, images, sources, { check: boundary.check });
      assert.deepEqual(driftFindings({ policy, binding, guest }), []);
    });
  }

  await t.test("a mode that only reports", async (each) => {
    const watch = await startWatch(boundary, each, "report");
    const stream = await startStream(boundary, each, web);
    const since = performance.now();
    await hand.nft(`insert rule inet ${tableName(OWNER, "scenario")} forward accept`);
    await watch.until(({ kind }) => kind === "drifted", since);
    await watch.until(({ kind }) => kind === "looked", performance.now());
    assert.ok(watch.reports.some(({ code }) => code === "boundary.guest-readback-difference"));
    assert.ok(performance.now() - stream.lastAt() < SETTLE_MS, "it passes on");
    await watch.stop();
    await stream.stop();
    await reopen();
  });

  await t.test("the engine gone", async (each) => {
    const watch = await startWatch(boundary, each);
    const stream = await startStream(boundary, each, web);
    const since = performance.now();
    await boundary.lab.kill();
    const proven = await watch.until(({ kind }) => kind === "dropped", since);
    await pause(SETTLE_MS);
    each.diagnostic(
      `the engine gone: last byte after ${Math.round(stream.lastAt() - since)} ms, floor proven after ${proven} ms`,
    );
    assert.ok(watch.reports.some(({ about }) => about === "source: ENGINE_UNREACHABLE"));
    assert.ok(performance.now() - stream.lastAt() >= SETTLE_MS, "nothing passes");
    await watch.stop();
    await stream.stop();
  });
});
