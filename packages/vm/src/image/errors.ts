import { DrydockError, type DrydockErrorOptions } from "@drydock/evidence";

export type ImageErrorCode =
  | "IMAGE_TOOL_MISSING"
  | "IMAGE_TOOL_FAILED"
  | "IMAGE_UNKNOWN"
  | "IMAGE_INPUT"
  | "IMAGE_PACKAGE"
  | "IMAGE_FORMAT"
  | "IMAGE_DIGEST"
  | "IMAGE_PLATFORM"
  | "IMAGE_PATH"
  | "IMAGE_LINK"
  | "IMAGE_DEVICE"
  | "IMAGE_DUPLICATE"
  | "IMAGE_WHITEOUT"
  | "IMAGE_BOUND"
  | "IMAGE_FOREIGN_LAYER";

export const imageError = (
  code: ImageErrorCode,
  message: string,
  options?: DrydockErrorOptions,
): DrydockError<ImageErrorCode> => new DrydockError(code, message, options);

const QUOTE_LIMIT = 200;

/** Text from an archive, made safe for a terminal and a log: quoted, escaped, cut. */
export const quote = (text: string): string =>
  JSON.stringify(text.length > QUOTE_LIMIT ? `${text.slice(0, QUOTE_LIMIT)}…` : text).replace(
    /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
