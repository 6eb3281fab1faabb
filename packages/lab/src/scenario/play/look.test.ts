import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DrydockError, digestOfValue } from "@drydock/evidence";
import type { ExchangeRecord } from "@drydock/faults";
import type { ApplianceView } from "../world.js";
import { configurationName, openedOrRefused, sendsIn, settledLog } from "./look.js";

const view = (descr: string, more: Readonly<Record<string, string>> = {}): ApplianceView => ({
  digest: "sha256:0",
  configuration: {
    aliases: [
      { name: "LAB_A", descr, ...more },
      { name: "LAB_B", descr: "b" },
    ],
  },
});

const nameOf = ({ configuration }: ApplianceView, edited: ApplianceView | null) =>
  configurationName(digestOfValue(configuration), {
    ...{ before: view("before"), edited, candidate: "LAB_A", asked: "asked", sentLast: "sent" },
  });

describe("a configuration is called", () => {
  const edited = view("edited", { detail: "d" });

  test("before, after, edited or merged, by all of it", () => {
    assert.equal(nameOf(view("before"), edited), "before");
    assert.equal(nameOf(view("asked"), edited), "after");
    assert.equal(nameOf(edited, edited), "edited");
    assert.equal(nameOf(view("sent", { detail: "d" }), edited), "merged");
  });

  test("other, when anything else is in it", () => {
    assert.equal(nameOf(view("before", { detail: "d" }), edited), "other");
    assert.equal(nameOf(view("asked", { detail: "e" }), edited), "other");
    assert.equal(nameOf(view("x"), edited), "other");
    assert.equal(nameOf(edited, null), "other");
    const { configuration, digest } = view("before");
    const aliases = configuration.aliases.toReversed();
    assert.equal(nameOf({ digest, configuration: { aliases } }, edited), "other");
  });
});

const exchange = (fields: Partial<ExchangeRecord>) =>
  ({ phase: "mutation", durationMs: 1, ...fields }) as ExchangeRecord;

test("sends are counted by their phase, however they ended", () => {
  const phases = ["pre-send-read", "mutation", "readback", "mutation", "rollback"] as const;
  assert.deepEqual(sendsIn(phases.map((phase) => exchange({ phase }))), {
    forwardSends: 2,
    rollbackSends: 1,
  });
});

describe("the log is looked at", () => {
  /** A clock that goes on by itself, and a log of which one exchange is open so many times. */
  const lab = (open: number) => {
    let now = 0;
    let looks = 0;
    const clock = () => {
      now += 1_000;
      return now;
    };
    const log = async () => {
      looks += 1;
      return [exchange({}), exchange({ durationMs: looks > open ? 5 : null })];
    };
    return { clock, proxy: { log } as never };
  };

  test("when nothing is under way any more", async () => {
    const { exchanges, settled } = await settledLog(lab(3), 1);
    assert.equal(settled, true);
    assert.deepEqual(exchanges, [exchange({ durationMs: 5 })]);
  });

  test("and says so when something stays under way", async () => {
    assert.equal((await settledLog(lab(1_000), 0)).settled, false);
  });
});

test("a store that refuses to be what it was is refused, and other errors aren't that", () => {
  const opening = (code: string) => () =>
    openedOrRefused(() => {
      throw new DrydockError(code, "a message");
    });
  for (const code of ["INTEGRITY", "ROLLED_BACK", "SCHEMA", "MISSING"])
    assert.equal(opening(`STORE_${code}`)(), null);
  for (const code of ["STORE_OCCUPIED", "STORE_BUSY", "STORE_FULL", "CONTRACT_UNKNOWN"])
    assert.throws(opening(code), { code });
  assert.equal(
    openedOrRefused(() => "a store"),
    "a store",
  );
});
