/** The three blocks that RFC 5737 sets aside for documentation: routed nowhere. */
const DOCUMENTATION = /^(?:192\.0\.2|198\.51\.100|203\.0\.113)\.(0|[1-9][0-9]{0,2})$/;
/** One label of RFC 1123 before a domain that resolves nowhere (RFC 2606); an A-label would be an IDN. */
const LAB_NAME = /^(?!xn--)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.lab\.invalid$/;

const MAX_OCTET = 255;

/** Guard: an address of a lab, in its one spelling. */
export const isLabAddress = (text: string): boolean => {
  const last = DOCUMENTATION.exec(text)?.[1];
  return last !== undefined && Number(last) <= MAX_OCTET;
};

/** Guard: a name of a lab, in its one spelling: lower case, no final dot. */
export const isLabName = (text: string): boolean => LAB_NAME.test(text);
