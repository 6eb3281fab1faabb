import { DrydockError } from "../errors.js";

export type ShapeErrorCode =
  | "SHAPE_TYPE"
  | "SHAPE_KEY_UNKNOWN"
  | "SHAPE_KEY_MISSING"
  | "SHAPE_RANGE"
  | "SHAPE_PATTERN"
  | "SHAPE_ENUM"
  | "SHAPE_COUNT"
  | "SHAPE_RULE";

/** `path` is the JSON path of the value that was refused, e.g. `manifest.limits.cpus`. */
export class ShapeError extends DrydockError<ShapeErrorCode> {
  readonly path: string;

  constructor(code: ShapeErrorCode, path: string, what: string, fix?: string) {
    super(code, `${path}: ${what}`, fix === undefined ? {} : { fix });
    this.path = path;
  }
}
