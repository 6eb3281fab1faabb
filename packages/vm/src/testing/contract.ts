import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { closed } from "@drydock/testkit";
import { compareVmm } from "../observe/index.js";
import { connectSocket } from "../qemu/socket.js";
import type { VmmAdapter, VmPlan } from "../vmm.js";
import { ask, closeTestLab, openPlace, openTestLab, type TestLab } from "./lab.js";

/** What every VMM adapter has to do, whatever is behind it. Needs the test guest's answers. */
export const describeVmmContract = <Plan extends VmPlan>(
  name: string,
  createAdapter: (lab: TestLab) => VmmAdapter<Plan>,
): void => {
  describe(`${name} keeps the contract of the VMM port`, () => {
    let lab: TestLab;

    before(async () => {
      lab = await openTestLab();
    });

    after(() => closeTestLab(lab));

    const start = async (t: { after(fn: () => unknown): void }) => {
      const adapter = createAdapter(lab);
      const plan = await adapter.prepare(lab.spec);
      const place = await openPlace(lab, t);
      const vmm = await adapter.spawn(plan, place);
      const machine = await adapter.connect(vmm.endpoints);
      t.after(() => vmm.kill());
      await machine.start();
      return { plan, vmm, machine, place };
    };

    test("a guest answers on its control channel once it is resumed", async (t) => {
      const { machine } = await start(t);
      await machine.resume();
      assert.equal(await ask(machine.control, "what is this"), "what?");
    });

    test("a planned channel passes bytes after its grant and none after its revocation", async (t) => {
      const { machine } = await start(t);
      await machine.resume();
      const stream = await machine.grant("drydock.bulk.0");
      assert.equal(await ask(machine.control, "echo drydock.bulk.0"), "echoing");
      assert.equal(await ask(stream, "hello"), "hello");
      await machine.revoke("drydock.bulk.0");
      assert.equal(stream.destroyed, true);
      await machine.revoke("drydock.bulk.0");
      await assert.rejects(machine.grant("drydock.bulk.0"), { code: "CHANNEL_STATE" });
    });

    test("a channel whose host end somebody else holds works from plug to revocation", async (t) => {
      const { machine, vmm } = await start(t);
      await machine.resume();
      const stream = await connectSocket(vmm.endpoints.channels["drydock.bulk.0"] ?? "");
      await machine.plug("drydock.bulk.0");
      assert.equal(await ask(machine.control, "echo drydock.bulk.0"), "echoing");
      assert.equal(await ask(stream, "hello"), "hello");
      await assert.rejects(machine.plug("drydock.bulk.0"), { code: "CHANNEL_STATE" });
      await assert.rejects(machine.grant("drydock.bulk.0"), { code: "CHANNEL_STATE" });
      const gone = closed(stream);
      stream.resume();
      await machine.revoke("drydock.bulk.0");
      await gone;
      await assert.rejects(machine.plug("drydock.bulk.0"), { code: "CHANNEL_STATE" });
    });

    test("a channel that was not planned can be neither granted nor revoked", async (t) => {
      const { machine } = await start(t);
      await assert.rejects(machine.grant("drydock.bulk.9"), { code: "CHANNEL_UNKNOWN" });
      await assert.rejects(machine.plug("drydock.bulk.9"), { code: "CHANNEL_UNKNOWN" });
      await assert.rejects(machine.revoke("drydock.bulk.9"), { code: "CHANNEL_UNKNOWN" });
    });

    test("what the machine shows is what was sealed, before and after a grant", async (t) => {
      const { plan, machine } = await start(t);
      assert.deepEqual(compareVmm(plan.topology, await machine.observe()), { kind: "match" });
      await machine.resume();
      await machine.grant("drydock.bulk.1");
      assert.deepEqual(compareVmm(plan.topology, await machine.observe()), { kind: "match" });
    });

    test("quitting ends the process, and its end is told", async (t) => {
      const { machine, vmm } = await start(t);
      const closed = new Promise<string>((resolve) => {
        machine.onEvent((event) => {
          if (event.kind === "closed") resolve(event.kind);
        });
      });
      await machine.quit();
      assert.equal((await vmm.exited).code, 0);
      assert.equal(await closed, "closed");
    });

    test("a killed VMM closes every channel", async (t) => {
      const { machine, vmm } = await start(t);
      await machine.resume();
      const gone = closed(machine.control);
      machine.control.resume();
      vmm.kill();
      assert.equal((await vmm.exited).signal, "SIGKILL");
      await gone;
    });

    test("the upper disk has no name once the VMM runs", async (t) => {
      const { place } = await start(t);
      assert.equal(existsSync(place.upper), false);
    });
  });
};
