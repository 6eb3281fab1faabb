import { quote } from "@drydock/evidence";
import { refuse } from "../codes.js";
import { formatIpv4, type GuestPublication, type ObservedTopology } from "../model/index.js";

/** What the engine publishes, in the words of a policy. */
export const isPublished = (
  { address, port, protocol }: GuestPublication,
  observed: { readonly address: string; readonly port: number; readonly protocol: "tcp" | "udp" },
): boolean =>
  observed.address === formatIpv4(address) &&
  observed.port === port &&
  observed.protocol === protocol;

/**
 * Guard: a port that the engine opens on the host is a way in that no rule of the scenario's and
 * nobody's signature speaks of.
 *
 * @param allowed what a container may publish.
 * @throws DrydockError BIND_PUBLICATION_UNSIGNED
 */
export const refuseUnsignedPublications = (
  { containers }: ObservedTopology,
  allowed: (containerId: string) => readonly GuestPublication[],
): void => {
  for (const { id, name, publications } of containers) {
    const unsigned = publications.find(
      (observed) => !allowed(id).some((publication) => isPublished(publication, observed)),
    );
    if (unsigned === undefined) continue;
    const where = `${unsigned.address}:${unsigned.port}/${unsigned.protocol}`;
    refuse(
      "BIND_PUBLICATION_UNSIGNED",
      `container ${quote(name)} is published at ${quote(where)}`,
      {
        fix: "Make it again without the publication, or have the policy signed with it.",
      },
    );
  }
};
