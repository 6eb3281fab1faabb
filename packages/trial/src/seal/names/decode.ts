import { sealError } from "../errors.js";
import { display } from "./display.js";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A path's bytes as text, unless they are no text. @throws PATH_REFUSED */
export const decodePath = (bytes: Buffer): string => {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw sealError("PATH_REFUSED", `name is not UTF-8: ${display(bytes)}`, {
      fix: "rename the file",
      cause,
    });
  }
};
