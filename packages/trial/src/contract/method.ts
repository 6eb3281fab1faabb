import { type JsonValue, shape } from "@drydock/evidence";
import type { Method } from "../link/index.js";

/** A method whose argument and result are both read strictly. */
export const method = <P, R>(params: shape.Reader<P>, result: shape.Reader<R>): Method<P, R> => ({
  params: (value) => params.read(value as JsonValue, "params"),
  result: (value) => result.read(value as JsonValue, "result"),
});

/**
 * A method of the launcher, which is root and parses nothing that a guest or a repository wrote:
 * its results are taken as they are typed.
 */
export const rootMethod = <P, R>(params: shape.Reader<P>): Method<P, R> => ({
  params: (value) => params.read(value as JsonValue, "params"),
  result: (value) => value as R,
});

export const nothing: shape.Reader<null> = {
  schema: { type: "null" },
  read: (value, path) => {
    if (value !== null) throw new shape.ShapeError("SHAPE_TYPE", path, "expected null");
    return null;
  },
};
