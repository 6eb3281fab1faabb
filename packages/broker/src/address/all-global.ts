import type { AddressClass, IpAddress } from "./address.js";
import { classifyAddress } from "./classify.js";

export type AllGlobal =
  | { readonly kind: "global" }
  | {
      readonly kind: "refused";
      /** The first that isn't global, and its class; both null where there was no address. */
      readonly address: IpAddress | null;
      readonly class: AddressClass | null;
    };

/**
 * Whether every address of an answer is global. Guard: one that isn't spoils the whole answer,
 * since whoever can put it there may have chosen the others too, and the order. An empty answer is
 * no permission.
 */
export const allGlobal = (addresses: readonly IpAddress[]): AllGlobal => {
  for (const address of addresses) {
    const addressClass = classifyAddress(address);
    if (addressClass.kind === "special") {
      return { kind: "refused", address, class: addressClass };
    }
  }
  return addresses.length === 0
    ? { kind: "refused", address: null, class: null }
    : { kind: "global" };
};
