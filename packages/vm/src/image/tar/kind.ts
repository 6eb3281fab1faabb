import { imageError, quote } from "../errors.js";

export type EntryKind = "file" | "directory" | "symlink" | "hardlink";

/** The kind behind a tar type flag; devices, fifos and whatever else exists are refused. */
export const entryKind = (type: string, path: string): EntryKind => {
  switch (type) {
    case "0":
    case "\0":
      // Before POSIX.1-1988 a name's trailing slash was all that marked a directory.
      return path.endsWith("/") ? "directory" : "file";
    case "1":
      return "hardlink";
    case "2":
      return "symlink";
    case "5":
      return "directory";
    case "3":
    case "4":
    case "6":
      throw imageError("IMAGE_DEVICE", `${quote(path)} is a ${type === "6" ? "fifo" : "device"}`, {
        fix: "Remove it from the image: the guest makes its own /dev.",
      });
    default:
      throw imageError(
        "IMAGE_FORMAT",
        `${quote(path)} has the unsupported tar type ${quote(type)}`,
      );
  }
};
