import { DrydockError, type DrydockErrorOptions, quote } from "@drydock/evidence";

export type ImageErrorCode =
  | "IMAGE_TOOL_MISSING"
  | "IMAGE_TOOL_FAILED"
  | "IMAGE_UNKNOWN"
  | "IMAGE_OUTDATED"
  | "IMAGE_INPUT"
  | "IMAGE_PACKAGE"
  | "IMAGE_MODULES"
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

export { quote };
