/**
 * Code points that HFS+ ignores when it compares names, so that ".g\u200cit" opens ".git". The
 * list is the one git itself checks (utf8.c, next_hfs_char).
 */
const HFS_IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * Is this name ".git" to any file system a reviewer may unpack it on? NTFS drops trailing dots
 * and spaces, cuts at ":" (streams), separates at "\" and knows the short name "git~1".
 */
export const isDotGit = (component: string): boolean =>
  component
    .replace(HFS_IGNORED, "")
    .split("\\")
    .some((part) => {
      const name = part
        .replace(/:.*$/s, "")
        .replace(/[. ]+$/, "")
        .toLowerCase();
      return name === ".git" || name === "git~1";
    });
