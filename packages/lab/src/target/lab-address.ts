/** The three blocks that RFC 5737 sets aside for documentation: routed nowhere. */
const DOCUMENTATION = /^(?:192\.0\.2|198\.51\.100|203\.0\.113)\.(0|[1-9][0-9]{0,2})$/;

const MAX_OCTET = 255;

/** Guard: an address of a lab, in its one spelling. */
export const isLabAddress = (text: string): boolean => {
  const last = DOCUMENTATION.exec(text)?.[1];
  return last !== undefined && Number(last) <= MAX_OCTET;
};
