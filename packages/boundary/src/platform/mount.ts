/** A file or directory of the host's that an anchor sees, read-only. */
export interface PlatformMount {
  /** Relative, in normal form: below the directory that apply is given. */
  readonly source: string;
  /** Absolute, in normal form. */
  readonly target: string;
}

/** What a container has of the kernel's there, and a mount would hide or open. */
const KERNELS_OWN = ["/proc", "/sys", "/dev"];

/**
 * What is wrong with an anchor's mounts, by their positions. Paths have one spelling: no empty, `.`
 * or `..` segment, so that a source can't leave its directory and no two targets are one place.
 */
export const mountFaults = (
  mounts: readonly PlatformMount[],
): readonly { readonly at: readonly [number, "source" | "target"]; readonly what: string }[] =>
  mounts.flatMap(({ source, target }, index) => [
    ...(isNormal(source)
      ? []
      : [
          { at: [index, "source"] as const, what: "the source is no relative path in normal form" },
        ]),
    ...(target.startsWith("/") && isNormal(target.slice(1))
      ? []
      : [
          { at: [index, "target"] as const, what: "the target is no absolute path in normal form" },
        ]),
    ...(KERNELS_OWN.some((place) => isIn(target, place))
      ? [{ at: [index, "target"] as const, what: "the target is the kernel's" }]
      : []),
    // Which of two that hide each other is seen would be up to the engine.
    ...(mounts.slice(0, index).some((other) => overlap(other.target, target))
      ? [{ at: [index, "target"] as const, what: "the target overlaps another mount's" }]
      : []),
  ]);

const isNormal = (path: string): boolean =>
  /^[A-Za-z0-9._/-]+$/.test(path) &&
  path.split("/").every((segment) => segment !== "" && segment !== "." && segment !== "..");

const isIn = (path: string, place: string): boolean =>
  path === place || path.startsWith(`${place}/`);

const overlap = (one: string, other: string): boolean => isIn(one, other) || isIn(other, one);
