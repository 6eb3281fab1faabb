import type { Desired, DesiredContainer } from "./desired.js";
import type { Seen } from "./seen.js";

/**
 * Whether a container that doesn't run isn't on all the networks that are there for it: whoever made
 * it was killed before it was attached to the second, or a network was made again since. Started, it
 * would be where nobody planned it, or not start at all, for ever.
 */
export const isHalfMade = (
  wanted: DesiredContainer,
  { running, endpoints }: Seen["containers"][number],
  { networks: desired }: Pick<Desired, "networks">,
  networks: Seen["networks"],
): boolean =>
  !running &&
  wanted.attachments.some(({ network: address }) => {
    const name = desired.find((one) => one.address === address)?.spec.name;
    const network = networks.find((one) => one.name === name);
    // By name until it has run, by id since.
    return !endpoints.some((endpoint) => [network?.id, network?.name].includes(endpoint.network));
  });
