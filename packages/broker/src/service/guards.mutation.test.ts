import { describe, it } from "node:test";
import { assertNoticed } from "@drydock/testkit";

interface Guard {
  readonly module: string;
  /** What it is without its guard; has to export what the original does. */
  readonly source: string;
  readonly test: string;
  readonly pattern: string;
}

const GUARDS: readonly Guard[] = [
  {
    module: "hello/bind-hello.js",
    source: 'export const bindHello = () => ({ kind: "bound" });',
    test: "./tls.test.js",
    pattern: "forwards a hello that names",
  },
  {
    module: "hello/server-answer.js",
    source: 'export const createAnswerReader = () => ({ push: () => "other" });',
    test: "./tls.test.js",
    pattern: "holds a second hello",
  },
  {
    module: "tunnel/limit.js",
    source: "export const isOverLimit = () => false;",
    test: "../tunnel/step.test.js",
    pattern: "allow exactly the bytes",
  },
  {
    module: "tunnel/reset.js",
    source: "export const resetStream = (stream) => { stream.end(); };",
    test: "../tunnel/relay.test.js",
    pattern: "passes a reset on",
  },
  {
    module: "policy/decide.js",
    source: `export const requestForm = (protocol) => (protocol === "http" ? "absolute" : "connect");
export const decide = ({ grants }) => ({ kind: "granted", grant: grants[0] });`,
    test: "./connect.test.js",
    pattern: "opens a tunnel to a granted authority",
  },
  {
    module: "address/all-global.js",
    source: 'export const allGlobal = () => ({ kind: "global" });',
    test: "./connect.test.js",
    pattern: "is refused for an answer that",
  },
  {
    module: "service/is-connected-to.js",
    source: "export const isConnectedTo = () => true;",
    test: "./dial.test.js",
    pattern: "reads back",
  },
  {
    module: "service/withheld-for.js",
    source: "export const withheldFor = () => null;",
    test: "./withheld.test.js",
    pattern: "is withheld",
  },
  {
    module: "service/has-room.js",
    source: "export const hasRoom = () => true;",
    test: "./broker.test.js",
    pattern: "tells a client beyond the limit",
  },
  {
    module: "service/has-decisions-left.js",
    source: "export const hasDecisionsLeft = () => true;",
    test: "./broker.test.js",
    pattern: "ends for good after its last decision",
  },
  {
    module: "standalone/share-of.js",
    source: "export const shareOf = (limit) => limit;",
    test: "../standalone/share-of.test.js",
    pattern: "shares add up",
  },
  {
    module: "service/connections-for.js",
    source: "export const connectionsFor = (wanted) => wanted;",
    test: "./dial.test.js",
    pattern: "descriptors",
  },
];

describe("without a guard a test fails", () => {
  for (const { module, source, test, pattern } of GUARDS) {
    it(module, () => {
      const swap = { module: `packages/broker/dist/${module}`, source };
      assertNoticed(new URL(test, import.meta.url), [swap], pattern);
    });
  }
});
