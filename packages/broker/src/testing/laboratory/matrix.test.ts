import assert from "node:assert/strict";
import { after, before, describe, it, type TestContext } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { enterPrivateNetwork } from "../private-network.js";
import { type Laboratory, startLaboratory } from "./laboratory.js";
import { ANSWER_CELLS, type AnswerCell } from "./matrix/answers.js";
import { attempt } from "./matrix/attempt.js";
import { BOUND_CELLS } from "./matrix/bounds.js";
import { spellingCells } from "./matrix/cells.js";
import { HEAD_CELLS } from "./matrix/heads.js";
import { HELLO_CELLS, type HelloCell } from "./matrix/hellos.js";
import { BROKER_ROUTES, type BrokerRoute, ROUTES, TECHNIQUES } from "./matrix/model.js";
import { granted } from "./matrix/request.js";
import { KEPT, REQUEST_CELLS } from "./matrix/requests.js";
import { tryAnswer, tryHead, tryHello, tryRequest } from "./matrix/try-message.js";

enterPrivateNetwork(import.meta.url, { addresses: [], everyAddress: true });

/** Low enough to be reached in a test. */
const LIMITS = { maxConnections: 8, maxBytesUp: 100_000 };

const endings: (() => unknown)[] = [];
const suite = { after: (ending: () => unknown) => endings.push(ending) };
let lab: Laboratory;

before(async () => {
  lab = await startLaboratory(suite, LIMITS);
});
after(async () => {
  const dropped = await lab.end();
  for (const ending of endings.reverse()) await ending();
  assert.equal(dropped, 0, "packets that nobody saw");
});

/** Cells that didn't come out as expected, so that one run shows them all. */
const surprises = async <Cell>(
  cells: readonly Cell[],
  attemptOf: (cell: Cell) => Promise<readonly [name: string, got: unknown, expected: unknown]>,
): Promise<readonly unknown[]> => {
  const found: unknown[] = [];
  for (const cell of cells) {
    const [name, got, expected] = await attemptOf(cell);
    if (!isDeepStrictEqual(got, expected)) found.push({ name, got, expected });
  }
  return found;
};

const leaks = (bytes: Buffer, unseen: RegExp | undefined): boolean =>
  unseen?.test(bytes.toString("latin1")) ?? false;

describe("an authority that isn't granted, in whatever spelling", () => {
  for (const technique of ["connect", "absolute"] as const) {
    for (const route of BROKER_ROUTES) {
      for (const kind of ["address", "name", "port"] as const) {
        it(`${TECHNIQUES[technique]}, ${ROUTES[route]}: ${kind}`, async (t) => {
          await control(t, technique, route);
          const cells = spellingCells(technique, route).filter(
            ({ spelling, impossible }) => spelling.kind === kind && impossible === null,
          );
          const found = await surprises(cells, async ({ spelling, expected }) => {
            const { name, authority } = spelling;
            const { reason, reach } = await attempt(t, lab, { technique, route, authority });
            return [name, { reason, reach }, expected];
          });
          assert.deepEqual(found, []);
          await control(t, technique, route);
        });
      }
    }
  }
});

describe("a request that is read in two ways, or isn't brokered", () => {
  for (const technique of ["connect", "absolute"] as const) {
    it(`${TECHNIQUES[technique]}: head`, async (t) => {
      await control(t, technique, "direct");
      const cells = HEAD_CELLS.filter((cell) => cell.technique === technique);
      const found = await surprises(cells, async (cell) => {
        const { reason, reach, bytes } = await tryHead(t, lab, cell);
        const leaked = leaks(bytes, cell.unseen);
        return [cell.name, { reason, reach, leaked }, { ...cell.expected, leaked: false }];
      });
      assert.deepEqual(found, []);
      await control(t, technique, "direct");
    });
  }
});

describe("a tunnel's first flight", () => {
  it("CONNECT: hello", async (t) => {
    const found = await surprises(HELLO_CELLS, async (cell) => {
      const { reason, reach, bytes, reset } = await tryHello(t, lab, cell);
      const leaked = leaks(bytes, cell.unseen);
      const untouched = reason !== null || bytes.equals(cell.bytes);
      // Who is cut off in a tunnel sees that it isn't the end of the data.
      const right = { ...cell.expected, leaked: false, untouched: true, reset: !passes(cell) };
      return [cell.name, { reason, reach, leaked, untouched, reset }, right];
    });
    assert.deepEqual(found, []);
  });
});

const passes = ({ expected }: HelloCell): boolean => expected.reason === null;

describe("a request in a tunnel whose TLS ends in the broker", () => {
  it("CONNECT: request", async (t) => {
    const found = await surprises(REQUEST_CELLS, async (cell) => {
      const { reason, bytes, said } = await tryRequest(t, lab, cell);
      const requests = `${bytes}`.split("\n").length - 1;
      const told = said.includes(KEPT);
      const right = { reason: cell.reason, requests: cell.requests, told: false };
      return [cell.name, { reason, requests, told }, right];
    });
    assert.deepEqual(found, []);
  });
});

describe("an answer of the resolver", () => {
  const late = (cell: AnswerCell): boolean => cell.unanswered === true;
  const groups = [
    ["answer", ANSWER_CELLS.filter((cell) => !late(cell))],
    ["late answer", ANSWER_CELLS.filter(late)],
  ] as const;
  for (const [name, cells] of groups) {
    it(`CONNECT: ${name}`, async (t) => {
      await control(t, "connect", "direct");
      const found = await surprises(cells, async (cell) => {
        const { reason, reach } = await tryAnswer(t, lab, cell);
        return [cell.name, { reason, reach }, cell.expected];
      });
      assert.deepEqual(found, []);
      await control(t, "connect", "direct");
    });
  }
});

describe("one more than a limit allows", () => {
  for (const cell of BOUND_CELLS) {
    it(`CONNECT: bound, ${cell.name}`, async (t) => {
      const { reason, reach, bytes } = await cell.attempt(t, lab, LIMITS, cell.beyond);
      assert.deepEqual({ reason, reach }, cell.expected);
      assert.ok(bytes.length <= LIMITS.maxBytesUp);
      const within = await cell.attempt(t, lab, LIMITS, cell.within);
      assert.deepEqual(within.reason, null);
      assert.equal(within.reach, "service");
    });
  }
});

/** The same with the granted text gets through: before, and still afterwards. */
const control = async (
  t: TestContext,
  technique: "connect" | "absolute",
  route: BrokerRoute,
): Promise<void> => {
  const authority = granted(technique);
  const { reason, reach, bytes } = await attempt(t, lab, { technique, route, authority });
  assert.deepEqual({ reason, reach }, { reason: null, reach: "service" });
  assert.match(`${bytes}`, technique === "connect" ? /^ping$/ : /^GET \/here HTTP\/1\.1\r\n/);
  assert.doesNotMatch(`${bytes}`, /upgrade|http2-settings/i);
};
