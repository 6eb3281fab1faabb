import { quote } from "@drydock/evidence";
import { type Dispatch, formatIpv4 } from "../model/index.js";
import { identifier, isInterfaceName } from "./names.js";
import { refuse } from "./refuse.js";

/** As many as there are elements of a set. */
const MAX_ENTRIES = 4096;

/**
 * A look-up in its only spelling: ascending. Of two entries for one key the kernel would take one.
 *
 * @throws DrydockError RULESET_INVALID for a key that has no spelling, or that stands there twice
 */
export const normalDispatch = (dispatch: Dispatch): Dispatch => {
  if (dispatch.to.length === 0) return refuse("a look-up that finds nothing, ever");
  if (dispatch.to.length > MAX_ENTRIES) return refuse(`a look-up among more than ${MAX_ENTRIES}`);
  switch (dispatch.by) {
    case "iifname":
    case "oifname":
      for (const { is } of dispatch.to) {
        if (!isInterfaceName(is)) refuse(`${quote(is)} can't be looked up`);
      }
      return { kind: "dispatch", by: dispatch.by, to: ascending(dispatch.to) };
    case "ip-source":
    case "ip-destination":
      for (const { is } of dispatch.to) {
        if (is !== is >>> 0) refuse(`${is} is no address that can be looked up`);
      }
      return { kind: "dispatch", by: dispatch.by, to: ascending(dispatch.to) };
  }
};

interface Entry<Key> {
  readonly is: Key;
  readonly chain: string;
}

const ascending = <Key extends string | number>(
  entries: readonly Entry<Key>[],
): readonly Entry<Key>[] => {
  const sorted = entries
    .map(({ is, chain }) => ({ is, chain: identifier(chain) }))
    .sort((a, b) => (a.is < b.is ? -1 : 1));
  for (const [index, { is }] of sorted.entries()) {
    if (sorted[index + 1]?.is !== is) continue;
    refuse(`${typeof is === "string" ? is : formatIpv4(is)} leads to two chains`);
  }
  return sorted;
};
