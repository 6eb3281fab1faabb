export * from "./common.js";
export { ShapeError, type ShapeErrorCode } from "./error.js";
export {
  array,
  boolean,
  integer,
  type JsonSchema,
  literal,
  nullable,
  object,
  oneOf,
  pattern,
  type Reader,
  rule,
  type Shape,
  text,
  variants,
} from "./reader.js";
