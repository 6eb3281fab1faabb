import { imageError, quote } from "../errors.js";

/** Linux: NAME_MAX and PATH_MAX, in bytes. */
const MAX_NAME_BYTES = 255;
const MAX_PATH_BYTES = 4095;

/**
 * The components of a path in an archive, or a refusal. An archive's names are taken as they
 * stand: nothing is cut, folded or resolved, because each repair is a second spelling of some
 * other path. Only a leading `./` and one trailing `/` are how tar itself writes names.
 */
export const parseEntryPath = (text: string, maxDepth: number): readonly string[] => {
  const refuse = (why: string) =>
    imageError("IMAGE_PATH", `the entry ${quote(text)} ${why}`, {
      fix: "Use an archive made by an ordinary tool; this name is refused as it stands.",
    });
  if (Buffer.byteLength(text) > MAX_PATH_BYTES)
    throw refuse(`is longer than ${MAX_PATH_BYTES} bytes`);
  if (text.startsWith("/")) throw refuse("is an absolute path");
  const relative = text.replace(/^(\.\/)+/, "").replace(/\/$/, "");
  if (relative === "" || relative === ".") return [];
  const components = relative.split("/");
  if (components.length > maxDepth) throw refuse(`is deeper than ${maxDepth} directories`);
  for (const component of components) {
    if (component === "") throw refuse("has an empty component");
    if (component === "..") throw refuse('has a ".." component');
    if (component === ".") throw refuse('has a "." component');
    if (component.includes("\0")) throw refuse("has a NUL byte");
    if (component.includes("\ufffd")) throw refuse("is not UTF-8");
    if (Buffer.byteLength(component) > MAX_NAME_BYTES) {
      throw refuse(`has a name longer than ${MAX_NAME_BYTES} bytes`);
    }
  }
  return components;
};
