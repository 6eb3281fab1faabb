import { quote } from "@drydock/evidence";
import { refuse } from "../codes.js";
import { type BoundAttachment, formatIpv4 } from "../model/index.js";

/**
 * An attachment is told from all others by port, MAC and address. Guard: with any of the three
 * twice, what one of them may do the other may, too.
 *
 * @throws DrydockError BIND_IDENTITY_SHARED
 */
export const refuseSharedIdentity = (attachments: readonly BoundAttachment[]): void => {
  const seen = new Map<string, BoundAttachment>();
  for (const attachment of attachments) {
    const { bridge, mac, ipv4, port, holder } = attachment;
    const marks = [`${bridge} ${mac}`, `${bridge} ${formatIpv4(ipv4)}`];
    for (const mark of port === null ? marks : [...marks, `port ${port}`]) {
      const other = seen.get(mark);
      if (other !== undefined) {
        refuse("BIND_IDENTITY_SHARED", `${holder} and ${other.holder} share ${quote(mark)}`, {
          fix: "Make one of the two containers again.",
        });
      }
      seen.set(mark, attachment);
    }
  }
};
