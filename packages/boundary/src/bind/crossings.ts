import { refuse } from "../codes.js";
import type { AppliancePolicy, BoundAttachment, BoundCrossing } from "../model/index.js";

/**
 * Each crossing with the one network that both its anchors are on: there they are neighbours, and
 * nobody forwards for them.
 *
 * @throws DrydockError BIND_CROSSING_WITHOUT_PATH, BIND_CROSSING_AMBIGUOUS
 */
export const bindCrossings = (
  { crossings }: AppliancePolicy,
  attachments: readonly BoundAttachment[],
): readonly BoundCrossing[] =>
  crossings.map((crossing) => {
    const { source, destination, purpose, line } = crossing;
    const paths = attachments.flatMap((from) =>
      from.holder === `platform.anchor.${source}`
        ? attachments
            .filter(
              ({ holder, network }) =>
                holder === `platform.anchor.${destination}` && network === from.network,
            )
            .map((to) => ({ from, to }))
        : [],
    );
    const [path, other] = paths;
    const said = `crossing ${purpose} (line ${line}): ${source} and ${destination}`;
    if (path === undefined) {
      return refuse("BIND_CROSSING_WITHOUT_PATH", `${said} share no platform network`, {
        fix: "Connect both anchors to one platform network.",
      });
    }
    if (other !== undefined) {
      return refuse("BIND_CROSSING_AMBIGUOUS", `${said} share ${paths.length} platform networks`, {
        fix: "Leave them one platform network in common.",
      });
    }
    return {
      ...crossing,
      network: path.from.network,
      sourceIpv4: path.from.ipv4,
      destinationIpv4: path.to.ipv4,
    };
  });
