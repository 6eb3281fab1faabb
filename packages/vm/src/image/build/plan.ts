import { parsePackageName } from "../deb/control.js";
import { type ModuleSet, parseModuleSet } from "./modules.js";

export type Recipe = "base" | "debian";

/** What to build. The exact versions follow from apt's index when the plan is carried out. */
export interface ImagePlan {
  readonly name: string;
  readonly recipe: Recipe;
  /** Debian packages by name, without their dependencies; sorted, each once. */
  readonly packages: readonly string[];
  /** What the kernel can do beyond disks and channels; sorted, each once. */
  readonly moduleSets: readonly ModuleSet[];
}

/** The C library for Node, and busybox for everything else. */
const BASE_PACKAGES = ["busybox-static", "libc6", "libgcc-s1", "libstdc++6"];

/** The tools that real test suites call, with headers so that the compiler can be used. */
const DEBIAN_PACKAGES = [
  ...BASE_PACKAGES,
  "base-files",
  "bash",
  "coreutils",
  "dash",
  "diffutils",
  "findutils",
  "gcc",
  "git",
  "grep",
  "gzip",
  "libc-bin",
  "libc6-dev",
  "make",
  "mawk",
  "python3",
  "sed",
  "tar",
];

/** The plan for a recipe with extra packages: a pure function of its arguments. */
export const planImage = (
  recipe: Recipe,
  options: {
    readonly name?: string;
    readonly packages?: readonly string[];
    readonly moduleSets?: readonly string[];
  } = {},
): ImagePlan => {
  const extra = (options.packages ?? []).map(parsePackageName);
  const fixed = recipe === "base" ? BASE_PACKAGES : DEBIAN_PACKAGES;
  return {
    name: options.name ?? recipe,
    recipe,
    packages: [...new Set([...fixed, ...extra])].sort(),
    moduleSets: [...new Set((options.moduleSets ?? []).map(parseModuleSet))].sort(),
  };
};
