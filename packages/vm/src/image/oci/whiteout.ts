import { imageError, quote } from "../errors.js";

/** What a layer's entry means for the layers below it (OCI image spec 1.1, "Whiteouts"). */
export type Whiteout =
  | { readonly kind: "none" }
  | { readonly kind: "hide"; readonly path: readonly string[] }
  | { readonly kind: "opaque"; readonly directory: readonly string[] };

const PREFIX = ".wh.";
const OPAQUE = ".wh..wh..opq";

/**
 * Reads the whiteout in an entry's path, or refuses: the prefix is reserved, so a name that has it
 * and is neither of the two forms can only mean different things to different readers.
 */
export const parseWhiteout = (path: readonly string[]): Whiteout => {
  const refuse = (why: string) =>
    imageError("IMAGE_WHITEOUT", `the entry ${quote(path.join("/"))} ${why}`);
  const directory = path.slice(0, -1);
  const name = path.at(-1) ?? "";
  if (directory.some((component) => component.startsWith(PREFIX))) {
    throw refuse("lies below a whiteout");
  }
  if (!name.startsWith(PREFIX)) return { kind: "none" };
  if (name === OPAQUE) return { kind: "opaque", directory };
  const hidden = name.slice(PREFIX.length);
  if (hidden === "" || hidden === "." || hidden === "..") {
    throw refuse("hides its own directory or a parent");
  }
  if (hidden.startsWith(PREFIX)) throw refuse("has a reserved name");
  return { kind: "hide", path: [...directory, hidden] };
};
