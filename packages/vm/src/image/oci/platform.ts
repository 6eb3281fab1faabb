import { imageError, quote } from "../errors.js";

interface Platform {
  readonly os: string;
  readonly architecture: string;
}

export const isSupported = ({ os, architecture }: Platform): boolean =>
  os === "linux" && architecture === "amd64";

/** The lab's kernel runs Linux x86-64 programs and nothing else. */
export const checkPlatform = (platforms: readonly Platform[]): void => {
  if (platforms.every(isSupported)) return;
  const found = platforms.map(({ os, architecture }) => `${os}/${architecture}`).join(", ");
  throw imageError("IMAGE_PLATFORM", `the image is for ${quote(found)}`, {
    fix: "Use an image for linux/amd64.",
  });
};
