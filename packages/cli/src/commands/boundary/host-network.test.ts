import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { assertNoticed, temporaryDirectory } from "@drydock/testkit";
import { testHome } from "../../testing/home.js";
import { type Seat, writeSeat } from "../../testing/seat.js";
import { allowsHostNetwork } from "./host-network.js";
import { readWanted } from "./wanted.js";

const IMAGE = `lab@sha256:${"1".repeat(64)}`;
/** Nobody listens there, so that whoever gets beyond the question is stopped before it does anything. */
const dockerSocket = "/nowhere/engine.sock";

const releasedSeat = async (t: TestContext) => {
  const home = testHome(t);
  const directory = temporaryDirectory(t);
  const seat = writeSeat(directory, IMAGE, { hostNetwork: true });
  const { code, stderr } = await home.run(seat.release);
  assert.equal(code, 0, stderr);
  return { home, seat, manifest: `${directory}/manifest` };
};

const filesOf = ({ plan, policy, platform }: Seat, more: object) =>
  readWanted(plan, { owner: "dd-host", policy, platform, dockerSocket, ...more });

test("a policy that nobody vouches for allows nothing", async (t) => {
  const { seat, manifest } = await releasedSeat(t);
  const release = {
    ...{ release: `${manifest}.json`, signature: `${manifest}.sig.json` },
    key: seat.owner.pem,
  };
  assert.equal(allowsHostNetwork(filesOf(seat, release)), true);
  assert.equal(allowsHostNetwork(filesOf(seat, { dev: true, helperImage: IMAGE })), false);
});

for (const verb of ["apply", "observe", "watch"]) {
  test(`${verb} isn't let into PID 1's network namespace by such a policy`, async (t) => {
    const { home, seat, manifest } = await releasedSeat(t);
    const asking = (...authority: readonly string[]) =>
      home.run([
        ...["boundary", verb, seat.plan, "--policy", seat.policy, "--platform", seat.platform],
        ...["--pid", `${process.pid}`, "--docker-socket", dockerSocket, ...authority],
      ]);
    const development = await asking("--dev", "--helper-image", IMAGE);
    assert.match(development.stderr, /\(NAMESPACE_HOST\)/);
    const control = await asking(
      ...["--release", `${manifest}.json`, "--signature", `${manifest}.sig.json`],
      ...["--key", seat.owner.pem],
    );
    assert.match(control.stderr, /\(ENGINE_UNREACHABLE\)/);
  });
}

test("without the guard a test fails", { skip: isSwapped() }, () => {
  assertNoticed(
    new URL(import.meta.url),
    [
      {
        module: "packages/cli/dist/commands/boundary/host-network.js",
        source: "export const allowsHostNetwork = ({ policy }) => policy.allowHostNetwork;",
      },
    ],
    "a policy that nobody vouches for",
  );
});

/** This file starts itself once more with the guard taken out; not again from there. */
function isSwapped(): boolean {
  return process.env["DRYDOCK_TEST_SWAPS"] !== undefined;
}
