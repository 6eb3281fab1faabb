import { inTree } from "./repository.js";

/** Programs that start another one in a changed view of this machine; the host's own stays as it is. */

const script = (setUp: string): readonly string[] => [
  ...["unshare", "--mount", "--propagation", "private"],
  ...["sh", "-ec", `${setUp}\nexec "$@"`, "sh"],
];

/** `directory` with a layer over it that is gone with the program; `change` is run after that. */
const layered = (directory: string, change: string): readonly string[] =>
  script(`
    scratch=$(mktemp -d)
    mount -t tmpfs tmpfs "$scratch"
    mkdir "$scratch/upper" "$scratch/work"
    mount -t overlay -o "lowerdir=${directory},upperdir=$scratch/upper,workdir=$scratch/work" overlay ${directory}
    umount -l "$scratch" && rmdir "$scratch"
    ${change}`);

/** A machine on which these files of `/usr` were never installed. */
export const without = (...files: readonly string[]): readonly string[] =>
  layered("/usr", `cd /usr && rm -f ${files.join(" ")} && cd /`);

/** A machine whose `/etc` is changed so. */
export const withEtc = (change: string): readonly string[] => layered("/etc", change);

/** An installation whose guest agent is this file. */
export const withAgent = (bundle: string): readonly string[] =>
  script(`mount --bind ${bundle} ${inTree("guest/dist/agent.bundle.cjs")}`);

/** A state directory on a file system of that size; the image cache lies elsewhere. */
export const withSpace = (home: string, cache: string, size: string): readonly string[] =>
  script(`mount -t tmpfs -o size=${size},mode=700 tmpfs ${home} && ln -s ${cache} ${home}/cache`);

/** Nobody in particular, from a place that anybody may read. */
export const UNPRIVILEGED: readonly string[] = [
  ...["unshare", "--mount", "--propagation", "private", "sh", "-ec"],
  `mount --bind ${inTree("")} /mnt && cd /
   node=$1 && shift 2
   exec setpriv --reuid 65534 --regid 65534 --clear-groups "$node" /mnt/packages/cli/dist/main.js "$@"`,
  "sh",
];
