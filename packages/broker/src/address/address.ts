/** An IP address as its bytes in network order: 4 for IPv4, 16 for IPv6. Never text with a zone. */
export type IpAddress =
  | { readonly family: 4; readonly bytes: Uint8Array }
  | { readonly family: 6; readonly bytes: Uint8Array };

/**
 * How the IANA special-purpose registries class an address. `name` is the registry's, `block` the
 * prefix in its canonical text; `embedded` is the class of an IPv4 address inside an IPv6 one, a
 * special one before a global one.
 */
export type AddressClass =
  | { readonly kind: "global"; readonly embedded?: AddressClass }
  | {
      readonly kind: "special";
      readonly name: string;
      readonly block: string;
      readonly embedded?: AddressClass;
    };
