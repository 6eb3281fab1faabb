/** Deeper than any object of an appliance's API. Arrays and objects around one another. */
export const MAX_DEPTH = 32;

/** Values of every kind in one value, itself included; keys aren't counted. */
export const MAX_NODES = 10_000;

/** Members of one array or object: an alias with more addresses isn't one to rehearse with. */
export const MAX_ITEMS = 4_096;

/** UTF-8 bytes of one string or key, in NFC. */
export const MAX_STRING_BYTES = 64 * 1024;

/** Bytes of the whole canonical form. */
export const MAX_BYTES = 1024 * 1024;

/** Integers are those of a signed 64-bit word. */
export const MIN_INTEGER = -(2n ** 63n);
export const MAX_INTEGER = 2n ** 63n - 1n;
