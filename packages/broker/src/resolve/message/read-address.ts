import type { IpAddress } from "../../address/address.js";
import type { Family } from "./question.js";

/** Guard: the address in an A or AAAA record's data; null unless it has exactly its length. */
export const readAddress = (family: Family, data: Uint8Array): IpAddress | null => {
  // A copy: what is judged and dialled must not share memory with a network buffer.
  const bytes = Uint8Array.from(data);
  switch (family) {
    case 4:
      return bytes.length === 4 ? { family, bytes } : null;
    case 6:
      return bytes.length === 16 ? { family, bytes } : null;
  }
};
