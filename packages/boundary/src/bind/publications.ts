import { refuse } from "../codes.js";
import {
  type AppliancePolicy,
  type Audience,
  type BoundAttachment,
  type BoundPublication,
  formatIpv4,
  type GuestPublication,
  type ObservedContainer,
  type Zone,
} from "../model/index.js";
import { isPublished } from "./unsigned-publication.js";

/** Who answers whom: the participant's gateway its participant, the management anchor the rest. */
const ANCHOR_OF: Readonly<Record<Audience, Zone>> = {
  participant: "participant",
  recovery: "management",
  "host-mcp": "management",
};

/** What an anchor may publish. */
export const publicationsOf = (
  { publications }: AppliancePolicy,
  zone: Zone,
): readonly GuestPublication[] =>
  publications.filter(({ audience }) => ANCHOR_OF[audience] === zone);

/**
 * Each signed publication with the port of its anchor's that the engine was seen to lead it to.
 *
 * @param place an anchor's on its own zone's network.
 * @throws DrydockError BIND_PUBLICATION_UNOBSERVED, BIND_PUBLICATION_AMBIGUOUS
 */
export const bindPublications = (
  { publications }: AppliancePolicy,
  anchors: Readonly<Record<Zone, ObservedContainer>>,
  place: (zone: Zone) => BoundAttachment,
): readonly BoundPublication[] =>
  publications.map((publication) => {
    const zone = ANCHOR_OF[publication.audience];
    const [observed, other] = anchors[zone].publications.filter((candidate) =>
      isPublished(publication, candidate),
    );
    const { address, port, protocol } = publication;
    const said = `the ${publication.audience} publication ${formatIpv4(address)}:${port}/${protocol}`;
    if (observed === undefined) {
      return refuse("BIND_PUBLICATION_UNOBSERVED", `${said} isn't the ${zone} anchor's`, {
        fix: "Make the anchor again, published as signed.",
      });
    }
    if (other !== undefined) {
      return refuse("BIND_PUBLICATION_AMBIGUOUS", `${said} leads to two ports`, {
        fix: "Make the anchor again, published as signed.",
      });
    }
    const { network, ipv4 } = place(zone);
    return { ...publication, target: { network, ipv4, port: observed.target } };
  });
