import { quote } from "@drydock/evidence";
import { type BoundaryCode, refuse } from "../codes.js";

interface Codes {
  readonly none: BoundaryCode;
  readonly several: BoundaryCode;
}

/**
 * The one that was found. Of two that look alike either could be the wrong one, so none is taken.
 *
 * @throws DrydockError
 */
export const only = <T extends { readonly name: string }>(
  found: readonly T[],
  what: string,
  { none, several }: Codes,
): T => {
  const [one, other] = found;
  if (one === undefined) {
    return refuse(none, `${what} wasn't observed`, {
      fix: "Apply the boundary, or start what is missing.",
    });
  }
  if (other !== undefined) {
    const names = found.map(({ name }) => quote(name)).join(", ");
    return refuse(several, `${what} was observed ${found.length} times: ${names}`, {
      fix: "Remove all but the one that belongs there.",
    });
  }
  return one;
};
