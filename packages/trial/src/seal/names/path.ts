import { isDotGit } from "./dot-git.js";

export type PathProblem =
  | "EMPTY"
  | "ABSOLUTE"
  | "TRAVERSAL"
  | "EMPTY_COMPONENT"
  | "CONTROL_CHARACTER"
  | "DOT_GIT"
  | "PATH_TOO_LONG"
  | "COMPONENT_TOO_LONG"
  | "TOO_DEEP";

export interface PathLimits {
  readonly pathBytes: number;
  readonly componentBytes: number;
  readonly depth: number;
}

/** C0, DEL, C1, line separators, and the bidirectional controls that make a name read backwards. */
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/;

export const hasControlCharacter = (text: string): boolean => CONTROL.test(text);

/**
 * What is wrong with a relative, "/"-separated path that will be created below some root, or
 * undefined. The path needs no normalisation afterwards: "." and ".." never pass.
 */
export const findPathProblem = (path: string, limits: PathLimits): PathProblem | undefined => {
  if (path === "") return "EMPTY";
  if (path.startsWith("/")) return "ABSOLUTE";
  if (Buffer.byteLength(path) > limits.pathBytes) return "PATH_TOO_LONG";
  if (hasControlCharacter(path)) return "CONTROL_CHARACTER";
  const components = path.split("/");
  if (components.length > limits.depth) return "TOO_DEEP";
  for (const component of components) {
    if (component === "") return "EMPTY_COMPONENT";
    if (component === "." || component === "..") return "TRAVERSAL";
    if (isDotGit(component)) return "DOT_GIT";
    if (Buffer.byteLength(component) > limits.componentBytes) return "COMPONENT_TOO_LONG";
  }
  return undefined;
};
