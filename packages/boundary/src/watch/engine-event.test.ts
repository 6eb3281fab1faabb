import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { EngineEvent } from "../engine/index.js";
import { desiredOf } from "../realise/index.js";
import { wantedOf } from "../realise/testing/lab-wanted.js";
import { policy } from "../testing/index.js";
import { isIdle, judgeEngineEvent, judgeNetworks } from "./engine-event.js";
import type { Known } from "./known.js";
import { replacedContainers } from "./replaced.js";

const IMAGE = `sha256:${"1".repeat(64)}`;
const wanted = wantedOf({ owner: "event", image: IMAGE });
const desired = desiredOf(wanted);
const known: Known = {
  networks: new Map(desired.networks.map(({ address, spec }) => [`net ${spec.name}`, address])),
  containers: new Map([...desired.anchors, ...desired.nodes].map((one) => [`id ${one.name}`, one])),
};

const judge = (
  kind: EngineEvent["kind"],
  action: string,
  id: string,
  attributes: EngineEvent["attributes"] = {},
): string | null =>
  judgeEngineEvent({ desired, wanted }, known, { kind, action, id, attributes })?.about ?? null;

describe("an event of the engine's says by itself", () => {
  const lan = "net event-lan";
  it("who came to a network that isn't its own", () => {
    const comes = (container: string, to = lan) => judge("network", "connect", to, { container });
    assert.equal(comes("id event-workstation"), null, "control: it started again");
    assert.equal(comes("id stranger"), "BIND_FOREIGN_CONTAINER");
    assert.equal(comes("id event-web"), "BIND_ATTACHMENT_UNPLANNED");
    assert.equal(comes("id event-web", "net bridge"), "BIND_ATTACHMENT_UNPLANNED");
    assert.equal(comes("id event-platform-egress"), "BIND_ANCHOR_ON_SCENARIO");
    assert.equal(comes("id stranger", "net bridge"), null);
  });

  it("that a network or a container is gone", () => {
    assert.equal(judge("network", "destroy", lan), "BIND_NETWORK_UNOBSERVED");
    assert.equal(judge("network", "destroy", "net bridge"), null);
    assert.equal(judge("network", "disconnect", lan, { container: "id event-web" }), null);
    assert.equal(judge("container", "destroy", "id event-web"), "BIND_NODE_UNREALISED");
    assert.equal(
      judge("container", "destroy", "id event-platform-egress"),
      "BIND_ANCHOR_UNOBSERVED",
    );
    assert.equal(judge("container", "die", "id event-web"), null);
    assert.equal(judge("container", "destroy", "id stranger"), null);
  });

  it("that a container plays one of the boundary's", () => {
    const { key, value } = policy.anchors.egress;
    const made = (attributes: EngineEvent["attributes"]) =>
      judge("container", "create", "id stranger", attributes);
    assert.equal(made({ name: "stranger" }), null, "control");
    assert.match(made({ name: "event-web" }) ?? "", /^event-web: not the container/);
    assert.equal(made({ [key]: value }), "BIND_ANCHOR_AMBIGUOUS");
    assert.equal(made({ [key]: "another" }), null);
    const web = "provision.node.web";
    assert.equal(made({ "dev.drydock.plan-address": web }), "BIND_NODE_AMBIGUOUS");
    assert.equal(made({ "dev.drydock.plan-address": "provision.node.other" }), null);
    assert.match(made({ name: "x", "dev.drydock.owner": "event" }) ?? "", /^x: not the container/);
    assert.equal(made({ name: "x", "dev.drydock.owner": "another" }), null);
    assert.match(judge("container", "rename", "id event-web") ?? "", /^event-web: not/);
    assert.equal(judge("container", "start", "id event-web", { name: "event-web" }), null);
  });

  it("which network plays one of the boundary's, once the engine is asked for their labels", () => {
    const { key, value } = policy.networks.management;
    const made = (name: string, labels: Readonly<Record<string, string>>, id = "new") =>
      judgeNetworks({ desired, wanted }, known, [
        {
          ...{ id, name, labels, driver: "bridge", bridge: "br-new" },
          ...{ internal: false, ipv6: false, subnets: [] },
        },
      ]).length;
    assert.equal(made("plain", {}), 0, "control");
    assert.equal(made("plain", { [key]: "another" }), 0, "control");
    assert.equal(made("plain", { [key]: value }), 1);
    assert.equal(made("plain", { [key]: value }, "net event-lan"), 0, "it is the known one");
    assert.equal(made("event-lan", {}), 1);
    assert.equal(made("plain", { "dev.drydock.plan-address": "provision.network.lan" }), 1);
    assert.equal(made("plain", { "dev.drydock.owner": "event" }), 1);
  });

  it("nothing where a program is run in a container, or the engine read its configuration", () => {
    for (const action of ["exec_create: /bin/cat", "exec_start: /bin/cat", "exec_die", "top"]) {
      assert.equal(isIdle({ kind: "container", action }), true, action);
    }
    for (const action of ["start", "die", "rename", "update"]) {
      assert.equal(isIdle({ kind: "container", action }), false, action);
    }
    assert.equal(isIdle({ kind: "network", action: "exec_" }), false);
    assert.equal(judge("daemon", "reload", "x"), null);
  });
});

it("a container in the place of one that was watched is another one, whatever it bears", () => {
  const containers = [...known.containers].map(([id, { name, labels }]) => ({
    ...{ id, name, labels, image: IMAGE, running: true, pid: 1, startedAt: "" },
    ...{ endpoints: [], publications: [] },
    authority: {
      ...{ privileged: false, hostPid: false, hostNetwork: false, hostIpc: false, devices: 0 },
      ...{ capabilities: [], binds: [], securityOptions: [], environmentNames: [] },
    },
  }));
  assert.deepEqual(replacedContainers({ desired }, known, { containers }), []);
  const other = containers.map((one) => (one.name === "event-web" ? { ...one, id: "other" } : one));
  assert.deepEqual(replacedContainers({ desired }, known, { containers: other }), [
    "event-web: not the container that was watched",
  ]);
});
