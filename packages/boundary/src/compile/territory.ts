import type { BoundAttachment, BoundNetwork, Ipv4 } from "../model/index.js";

/** An attachment whose container runs. */
export interface Attached extends BoundAttachment {
  readonly port: string;
}

/** What an authority's tables are about. */
export interface Territory {
  readonly networks: readonly BoundNetwork[];
  readonly attachments: readonly Attached[];
  readonly bridges: readonly string[];
  readonly ports: readonly string[];
}

/** @param attachments those without a port are bound to nothing, and nothing passes for them. */
export const territoryOf = (
  networks: readonly BoundNetwork[],
  attachments: readonly BoundAttachment[],
): Territory => {
  const attached = attachments
    .filter((attachment): attachment is Attached => attachment.port !== null)
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  return {
    networks: [...networks].sort((a, b) => (a.bridge < b.bridge ? -1 : 1)),
    attachments: attached,
    bridges: networks.map(({ bridge }) => bridge),
    ports: attached.map(({ port }) => port),
  };
};

const keyOf = ({ holder, network }: BoundAttachment): string => `${holder}\n${network}`;

export const addressesOn = ({ attachments }: Territory, bridge: string): readonly Ipv4[] =>
  attachments.filter((attachment) => attachment.bridge === bridge).map(({ ipv4 }) => ipv4);

export const macsOf = ({ attachments }: Territory): readonly string[] =>
  attachments.map(({ mac }) => mac);
