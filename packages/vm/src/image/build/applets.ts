import { imageError } from "../errors.js";

/** The list starts with the two spellings of `test`, in the order of their bytes. */
const FIRST = Buffer.from("\0[\0[[\0");
const APPLET = /^[a-z0-9_.[-]{1,32}$/;
/** Debian's static build has some 270; far fewer means that the list was not found. */
const FEWEST = 150;

/**
 * The commands that a busybox binary contains. `busybox --list` would tell, but nothing from a
 * package is executed on the host, so its sorted, NUL-separated table of names is read instead.
 */
export const busyboxApplets = (binary: Buffer): readonly string[] => {
  const start = binary.indexOf(FIRST);
  const names: string[] = [];
  for (let at = start + 1; start !== -1; ) {
    const end = binary.indexOf(0, at);
    const name = binary.toString("latin1", at, end);
    if (!APPLET.test(name) || name <= (names.at(-1) ?? "")) break;
    names.push(name);
    at = end + 1;
  }
  if (names.length >= FEWEST) return names;
  throw imageError("IMAGE_PACKAGE", "no list of commands found in busybox", {
    fix: "Use the busybox-static package of Debian's own archive.",
  });
};
