import {
  type BoundPlatform,
  type BoundPublication,
  formatIpv4,
  type Rule,
} from "../model/index.js";
import * as match from "./match.js";
import { identityOf } from "./names.js";
import { ACCEPT, rule } from "./rule.js";

/** The host's loopback proxy opens the bound target, and nothing else of the host's does anything. */
export const toPublications = (platform: BoundPlatform): readonly (readonly Rule[])[] =>
  platform.publications.map((publication) =>
    rule(
      publicationIdentity(publication),
      [
        match.oifname(...bridgesOf(platform, publication)),
        match.ipDestination(match.host(publication.target.ipv4)),
        match.destinationPort(publication.protocol, [publication.target.port]),
      ],
      ACCEPT,
    ),
  );

/** New connections to the host are never established: they are dropped before they are confirmed. */
export const fromPublications = (platform: BoundPlatform): readonly (readonly Rule[])[] =>
  platform.publications.flatMap((publication) => {
    const identity = publicationIdentity(publication);
    const from = [
      match.iifname(...bridgesOf(platform, publication)),
      match.ipSource(match.host(publication.target.ipv4)),
    ];
    return [
      rule(
        identityOf(identity, "reply"),
        [...from, match.ctState("established"), match.l4proto(publication.protocol)],
        ACCEPT,
      ),
      rule(
        identityOf(identity, "error"),
        [...from, match.ctState("related"), match.l4proto("icmp")],
        ACCEPT,
      ),
    ];
  });

export const publicationIdentity = ({
  audience,
  protocol,
  address,
  port,
}: BoundPublication): string =>
  identityOf("publication", audience, protocol, formatIpv4(address), port);

const bridgesOf = ({ networks }: BoundPlatform, { target }: BoundPublication): readonly string[] =>
  Object.values(networks)
    .filter(({ address }) => address === target.network)
    .map(({ bridge }) => bridge);
