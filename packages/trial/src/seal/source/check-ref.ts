import { sealError } from "../errors.js";
import { display } from "../names/display.js";

const MAX_REF_BYTES = 255;

/** git-check-ref-format(1), as one list of what must not occur; a leading "-" would be an option. */
const FORBIDDEN =
  /^-|[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|^\/|\/$|\.$|(?:^|\/)\.|\.lock(?:\/|$)|^@$/;

/** Refuses what is not a plain ref name or a complete object id. @throws REF_ARGUMENT */
export const checkRef = (ref: string): string => {
  if (ref !== "" && Buffer.byteLength(ref) <= MAX_REF_BYTES && !FORBIDDEN.test(ref)) return ref;
  throw sealError("REF_ARGUMENT", `not a ref: "${display(ref)}"`, {
    fix: "give a branch, a tag, refs/… in full, or a complete object id",
  });
};
