import { ANSWER_CELLS } from "./answers.js";
import { BOUND_CELLS } from "./bounds.js";
import { spellingCells } from "./cells.js";
import { HEAD_CELLS } from "./heads.js";
import { HELLO_CELLS } from "./hellos.js";
import { BROKER_ROUTES, type Route, type Technique, type VariantKind } from "./model.js";
import { BEHIND_A_PAGE, SILENT_PROBES } from "./probes.js";
import { REQUEST_CELLS } from "./requests.js";

/** One cell as the page counts it. */
export interface Cell {
  readonly technique: Technique;
  readonly route: Route;
  readonly kind: VariantKind;
  readonly variant: string;
  /** At a broker by itself, or from inside a virtual machine. */
  readonly where: "broker" | "guest";
}

const atBroker = (
  kind: VariantKind,
  cells: readonly { readonly name: string; readonly technique?: Technique }[],
): readonly Cell[] =>
  cells.map(({ name, technique = "connect" }) => ({
    ...{ technique, route: "direct", kind, variant: name, where: "broker" },
  }));

export const ALL_CELLS: readonly Cell[] = [
  ...(["connect", "absolute"] as const).flatMap((technique) =>
    BROKER_ROUTES.flatMap((route) =>
      spellingCells(technique, route)
        .filter(({ impossible }) => impossible === null)
        .map(
          ({ spelling: { kind, name } }): Cell => ({
            ...{ technique, route, kind, variant: name, where: "broker" },
          }),
        ),
    ),
  ),
  ...atBroker("head", HEAD_CELLS),
  ...atBroker("hello", HELLO_CELLS),
  ...atBroker("request", REQUEST_CELLS),
  ...atBroker("answer", ANSWER_CELLS),
  ...atBroker("bound", BOUND_CELLS),
  ...[...SILENT_PROBES, ...BEHIND_A_PAGE].map(
    ({ technique, route, variant }): Cell => ({
      ...{ technique, route, kind: "target", variant, where: "guest" },
    }),
  ),
];
