import type { Boundary } from "../meaning/index.js";
import type { BoundAttachment, BoundNetwork } from "../model/index.js";

/** Something that would have to be known before anything can be said about the boundary. */
export interface Gap {
  readonly code: "BOUNDARY_OBSERVATION_GAP";
  readonly about: string;
  readonly message: string;
}

const gap = (about: string, message: string): Gap => ({
  code: "BOUNDARY_OBSERVATION_GAP",
  about,
  message,
});

const MAC = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/;

const twice = <T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] =>
  items.filter((item, index) => items.findIndex((other) => keyOf(other) === keyOf(item)) < index);

const gapsOf = (
  networks: readonly BoundNetwork[],
  attachments: readonly BoundAttachment[],
): readonly Gap[] => {
  const place = ({ holder, network }: BoundAttachment) => `${holder} on ${network}`;
  const held = attachments.filter(({ port }) => port !== null);
  return [
    ...networks
      .filter(({ bridge }) => bridge === "")
      .map(({ address }) => gap(address, "no bridge was observed for this network")),
    ...twice(networks, ({ bridge }) => bridge).map(({ address, bridge }) =>
      gap(address, `its bridge ${bridge} was observed for another network as well`),
    ),
    ...attachments
      .filter(({ port }) => port === null)
      .map((attachment) => gap(place(attachment), "no bridge port was observed for it")),
    ...attachments
      .filter(({ mac }) => !MAC.test(mac))
      .map((attachment) => gap(place(attachment), `its MAC was observed as "${attachment.mac}"`)),
    ...attachments
      .filter(
        ({ network, bridge }) =>
          !networks.some((known) => known.address === network && known.bridge === bridge),
      )
      .map((attachment) =>
        gap(place(attachment), `its bridge ${attachment.bridge} isn't that network's`),
      ),
    ...twice(held, ({ port }) => `${port}`).map((attachment) =>
      gap(place(attachment), `its port ${attachment.port} was observed for another one as well`),
    ),
    ...twice(attachments, ({ network, ipv4 }) => `${network} ${ipv4}`).map((attachment) =>
      gap(place(attachment), "its address was observed for another one as well"),
    ),
    ...twice(attachments, ({ network, mac }) => `${network} ${mac}`).map((attachment) =>
      gap(place(attachment), "its MAC was observed for another one as well"),
    ),
  ];
};

/** What wasn't observed, or was observed ambiguously: a boundary with a gap is no boundary. */
export const observationGaps = ({ scenario, platform }: Boundary): readonly Gap[] => [
  ...(scenario === null ? [] : gapsOf(scenario.networks, scenario.attachments)),
  ...(platform === null ? [] : gapsOf(Object.values(platform.networks), platform.attachments)),
  ...(platform === null
    ? []
    : (["participant", "management", "egress"] as const)
        .filter(
          (zone) =>
            !platform.attachments.some(({ holder }) => holder === `platform.anchor.${zone}`),
        )
        .map((zone) => gap(`platform.anchor.${zone}`, "no such anchor was observed"))),
];
