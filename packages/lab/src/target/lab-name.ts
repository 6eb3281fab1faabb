/** One label of RFC 1123 before a domain that resolves nowhere (RFC 2606); an A-label would be an IDN. */
const LAB_NAME = /^(?!xn--)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.lab\.invalid$/;

/** Guard: a name of a lab, in its one spelling: lower case, no final dot. */
export const isLabName = (text: string): boolean => LAB_NAME.test(text);
