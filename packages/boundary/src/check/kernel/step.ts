import type { Dispatch, Effect, Match, Rule } from "../../model/index.js";

/** A rule that does one thing. */
export interface Step {
  readonly identity: string;
  readonly matches: readonly Match[];
  readonly effect: Exclude<Effect, Dispatch>;
}

/**
 * A look-up as what it means: a jump for each entry. A packet has one value there, so that at most
 * one of them is taken, and what that chain does changes no packet's interface or address.
 */
export const asJumps = ({ identity, matches, effect }: Rule): readonly Step[] => {
  if (effect.kind !== "dispatch") return [{ identity, matches, effect }];
  const jumps = (entries: readonly { readonly chain: string; readonly match: Match }[]) =>
    entries.map(
      ({ match, chain }): Step => ({
        identity,
        matches: [...matches, match],
        effect: { kind: "jump", chain },
      }),
    );
  const { by } = effect;
  switch (by) {
    case "iifname":
    case "oifname":
      return jumps(
        effect.to.map(({ is, chain }) => ({ chain, match: { kind: by, is: [is], not: false } })),
      );
    case "ip-source":
    case "ip-destination":
      return jumps(
        effect.to.map(({ is, chain }) => ({
          chain,
          match: { kind: by, is: [{ base: is, prefix: 32 }], not: false },
        })),
      );
  }
};
