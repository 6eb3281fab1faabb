import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { bindPlatform, bindScenario } from "../bind/index.js";
import { checkExhaustively } from "../check/index.js";
import { compilePlatform, compileScenario } from "../compile/index.js";
import { createKernelBackend } from "../kernel/index.js";
import { openNamespace, permitChanges } from "../nft/index.js";
import { compareRulesets } from "../readback/index.js";
import { startEngineLab } from "../testing/engine-lab.js";
import { plan, policy } from "../testing/index.js";
import { aimAt, applyBoundary, clearBoundary, type Stage } from "./index.js";
import { wantedOf } from "./testing/lab-wanted.js";
import { addSomebodyElse, SOMEBODY_ELSES_TABLE } from "./testing/somebody-else.js";

const OWNER = "dd-apply";

const startLab = async (t: TestContext) => {
  const lab = await startEngineLab(t);
  const namespace = permitChanges(openNamespace({ kind: "netns", path: lab.namespace }), {
    allowHostNetwork: false,
  });
  t.after(() => namespace[Symbol.dispose]());
  const kernel = createKernelBackend(namespace);
  const aim = await aimAt(wantedOf({ owner: OWNER, image: lab.image }), kernel);
  const apply = async (onStage: (stage: Stage) => void = () => undefined) =>
    applyBoundary(aim, { engine: lab.backend, kernel, onStage });
  return { lab, kernel, aim, apply };
};

test("a boundary comes up in order, is idempotent, holds what it means, and is cleared exactly", async (t) => {
  const { lab, kernel, aim, apply } = await startLab(t);
  const foreign = await addSomebodyElse(lab);

  const stages: string[] = [];
  const seen = await apply(({ name }) => stages.push(name));
  const expected = [
    "networks",
    "floor",
    "scenario-table",
    ...["anchors", "anchors", "platform-table"],
    ...["nodes", "nodes", "scenario-table", "routes"],
  ];
  assert.deepEqual(
    // What the kernel's settings are by default differs from machine to machine.
    stages.filter((name) => name !== "settings"),
    expected,
    "created and started are two stages, and the table comes before both",
  );

  const options = { owner: OWNER, realisation: aim.realisation };
  const scenario = bindScenario(plan, seen.topology);
  const platform = bindPlatform(policy, seen.topology);
  const rulesets = [compileScenario(scenario, options), compilePlatform(platform, options)];
  assert.deepEqual(compareRulesets(rulesets, await kernel.listing()), []);
  const { ok, differences, gaps, conflicts } = checkExhaustively({ scenario, platform, rulesets });
  assert.deepEqual(
    { ok, differences, gaps, conflicts },
    { ok: true, differences: [], gaps: [], conflicts: [] },
  );

  const again: string[] = [];
  await apply(({ name }) => again.push(name));
  assert.deepEqual(again, [], "what is there isn't done again");

  const management = `${OWNER}-platform-management`;
  const label = `${policy.networks.participant.key}=${policy.networks.participant.value}`;
  const web = `${OWNER}-web`;
  const bridge = await lab.docker(
    ...["network", "inspect", `${OWNER}-lan`],
    ...["--format", '{{index .Options "com.docker.network.bridge.name"}}'],
  );
  const idle = ["lab:1", "/bin/sleep", "3600"];
  const FAULTS: readonly (readonly [string, () => unknown, () => Promise<unknown>])[] = [
    [
      "BIND_PLATFORM_LABEL_FORGED",
      () =>
        lab.docker(
          ...["network", "create", "--subnet", "10.88.0.0/24", "--label", label],
          ...["--label", "dev.drydock.plan-address=provision.network.extra", "forged"],
        ),
      () => lab.docker("network", "rm", "forged"),
    ],
    // An anchor's foot on a network of the scenario's, where it is a stranger.
    [
      "BIND_FOREIGN_CONTAINER",
      () => lab.docker("network", "connect", `${OWNER}-lan`, management),
      () => lab.docker("network", "disconnect", "-f", `${OWNER}-lan`, management),
    ],
    // It has a node's place, of which the engine says nothing.
    [
      "BIND_FOREIGN_CONTAINER",
      () => lab.docker("run", "-d", "--name", "joined", "--network", `container:${web}`, ...idle),
      () => lab.docker("rm", "-f", "joined"),
    ],
    // Upon a network's bridge, and by name on another network.
    [
      "BIND_BRIDGE_SHARED",
      () =>
        lab.docker(
          ...["network", "create", "--driver", "macvlan", "--subnet", "10.89.0.0/24"],
          ...["--opt", `parent=${bridge}`, "upon"],
        ),
      () => lab.docker("network", "rm", "upon"),
    ],
    // By hand, from a node to wherever the other end is.
    [
      "BIND_ATTACHMENT_UNPLANNED",
      async () => {
        const pid = await lab.docker("inspect", "--format", "{{.State.Pid}}", web);
        const within = [`--net=/proc/${pid}/ns/net`, "--", "ip", "link"];
        await lab.run(["ip", "link", "add", "way", "type", "veth", "peer", "way", "netns", pid]);
        await lab.run(["nsenter", ...within, "set", "way", "up"]);
      },
      () => lab.run(["ip", "link", "delete", "way"]),
    ],
    [
      "BIND_PUBLICATION_UNSIGNED",
      () =>
        lab.docker(
          ...["run", "-d", "--name", "published", "--network", "somebody-elses"],
          ...["--publish-all", "--expose", "80", ...idle],
        ),
      () => lab.docker("rm", "-f", "published"),
    ],
    [
      "BIND_NODE_UNREALISED",
      async () => {
        await lab.docker("rm", "-f", `${OWNER}-mail`);
        await lab.docker(
          ...["run", "-d", "--name", `${OWNER}-mail`, "--network", `${OWNER}-dmz`],
          ...["--ip", "10.60.2.9", ...idle],
        );
      },
      () => lab.docker("rm", "-f", `${OWNER}-mail`),
    ],
  ];
  for (const [code, change, mend] of FAULTS) {
    await change();
    const held = await lab.run(["nft", "list", "ruleset"]);
    await assert.rejects(apply(), { code });
    assert.equal(await lab.run(["nft", "list", "ruleset"]), held, "nothing was opened for it");
    await mend();
    const { topology } = await apply();
    assert.equal(topology.containers.length, 9, "control: without it there is nothing to refuse");
  }

  const cleared = await clearBoundary(OWNER, { engine: lab.backend, kernel });
  assert.deepEqual(cleared, { containers: 9, networks: 6, tables: 4 });
  const left = await lab.backend.networks();
  assert.ok(left.some(({ id }) => id === foreign));
  assert.equal((await lab.run(["nft", "list", "tables"])).trim(), SOMEBODY_ELSES_TABLE);
});
