import { lookup, place, resolveInTree } from "../tree/edit.js";
import {
  type Attributes,
  bytesContent,
  type DirectoryNode,
  directory,
  file,
  rootOwned,
} from "../tree/node.js";

/** Debian 12: /bin, /sbin and /lib are links into /usr. */
export const MERGED_LINKS = [
  ["/bin", "usr/bin"],
  ["/sbin", "usr/sbin"],
  ["/lib", "usr/lib"],
  ["/lib64", "usr/lib64"],
] as const;

/** The user that commands run as unless told otherwise. */
export const LAB_UID = 1000;

const lab = (mode: number): Attributes => ({ ...rootOwned(mode), uid: LAB_UID, gid: LAB_UID });

/** Accounts and files that base-passwd, base-files and netbase's scripts would have written. */
const SYSTEM_FILES: readonly (readonly [path: string, mode: number, text: string])[] = [
  [
    "/etc/passwd",
    0o644,
    "root:x:0:0:root:/root:/bin/sh\n" +
      "daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n" +
      "lab:x:1000:1000:lab:/home/lab:/bin/sh\n" +
      "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
  ],
  [
    "/etc/group",
    0o644,
    "root:x:0:\ndaemon:x:1:\ntty:x:5:\nstaff:x:50:\nusers:x:100:\nlab:x:1000:\nnogroup:x:65534:\n",
  ],
  // Locked passwords: nothing in the lab logs in.
  ["/etc/shadow", 0o600, "root:*:0:0:99999:7:::\nlab:*:0:0:99999:7:::\n"],
  ["/etc/hostname", 0o644, "drydock\n"],
  ["/etc/hosts", 0o644, "127.0.0.1 localhost drydock\n::1 localhost\n"],
  ["/etc/nsswitch.conf", 0o644, "passwd: files\ngroup: files\nshadow: files\nhosts: files dns\n"],
  ["/etc/profile", 0o644, "export PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin\n"],
];

const LAB_DIRECTORIES: readonly (readonly [path: string, attributes: Attributes])[] = [
  ["/dev", rootOwned(0o755)],
  ["/etc", rootOwned(0o755)],
  ["/home", rootOwned(0o755)],
  ["/home/lab", lab(0o755)],
  ["/proc", rootOwned(0o555)],
  ["/root", rootOwned(0o700)],
  ["/run", rootOwned(0o755)],
  ["/sys", rootOwned(0o555)],
  ["/tmp", rootOwned(0o1777)],
  ["/var/tmp", rootOwned(0o1777)],
  ["/work", lab(0o755)],
];

export const addSystemFiles = (root: DirectoryNode): void => {
  for (const [path, mode, text] of SYSTEM_FILES) {
    place(root, path, file(bytesContent(text), rootOwned(mode)));
  }
};

/** The directories that the guest mounts onto or works in, where the image lacks them. */
export const addLabDirectories = (root: DirectoryNode): void => {
  for (const [path, attributes] of LAB_DIRECTORIES) {
    if (resolveInTree(root, path) !== undefined) continue;
    // A dangling link in an imported image keeps its meaning; the guest reports what it lacks.
    if (lookup(root, path.split("/").slice(1)) !== undefined) continue;
    place(root, path, directory(attributes));
  }
};
