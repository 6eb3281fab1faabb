/** RFC 1035 §4.1.1: id, flags and four counts, 16 bits each. */
export const HEADER_BYTES = 12;

/** RFC 1035 §2.3.4: what a datagram may hold when no EDNS option said otherwise. */
export const MAX_UDP_BYTES = 512;

/** RFC 1035 §2.3.4: a whole name with its length bytes and the root's. */
export const MAX_NAME_BYTES = 255;
export const MAX_LABEL_BYTES = 63;

/** RFC 1035 §3.2.2, RFC 3596 §2.1, RFC 6672 §2.1, RFC 6891 §6.1.1. */
export const TYPE = { A: 1, CNAME: 5, AAAA: 28, DNAME: 39, OPT: 41 } as const;

export const CLASS_IN = 1;

/** RFC 1035 §4.1.1. Every other code means that the server has no answer. */
export const RCODE = { NO_ERROR: 0, NAME_ERROR: 3 } as const;

/** Bits of the second header word; RFC 1035 §4.1.1, RFC 6895 §2. */
export const FLAG = { QR: 0x8000, TC: 0x0200, RD: 0x0100, Z: 0x0040 } as const;
export const OPCODE_MASK = 0x7800;
export const RCODE_MASK = 0x000f;
