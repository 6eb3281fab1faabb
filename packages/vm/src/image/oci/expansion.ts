import { imageError } from "../errors.js";
import type { ArchiveLimits } from "../tar/limits.js";

/** Called for each expanded piece, before it is used. */
export const checkExpansion = (
  read: number,
  written: number,
  limits: Pick<ArchiveLimits, "ratio" | "ratioSlackBytes">,
): void => {
  if (written <= read * limits.ratio + limits.ratioSlackBytes) return;
  throw imageError("IMAGE_BOUND", `a layer expands more than ${limits.ratio} times`, {
    fix: "Refused as a decompression bomb; rebuild the image without huge empty files.",
  });
};
