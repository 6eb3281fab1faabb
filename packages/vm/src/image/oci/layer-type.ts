import { imageError, quote } from "../errors.js";
import type { Descriptor } from "./schema.js";

/** How a layer's media type says that it is compressed. */
export type Compression = "none" | "gzip" | "zstd" | "detect";

const LAYER_TYPES: Readonly<Record<string, Compression>> = {
  "application/vnd.oci.image.layer.v1.tar": "none",
  "application/vnd.oci.image.layer.v1.tar+gzip": "gzip",
  "application/vnd.oci.image.layer.v1.tar+zstd": "zstd",
  "application/vnd.docker.image.rootfs.diff.tar": "none",
  "application/vnd.docker.image.rootfs.diff.tar.gzip": "gzip",
};

/** Refuses layers that are to be fetched from elsewhere, and what is no layer at all. */
export const layerCompression = (layer: Descriptor): Compression => {
  if (layer.urls.length > 0 || /\.(foreign|nondistributable)\./.test(layer.mediaType)) {
    throw imageError(
      "IMAGE_FOREIGN_LAYER",
      `layer ${layer.digest} is to be fetched from elsewhere`,
      {
        fix: "Use an image that contains all of its layers.",
      },
    );
  }
  const compression = Object.hasOwn(LAYER_TYPES, layer.mediaType)
    ? LAYER_TYPES[layer.mediaType]
    : undefined;
  if (compression !== undefined) return compression;
  throw imageError("IMAGE_FORMAT", `a layer has the media type ${quote(layer.mediaType)}`, {
    fix: "Convert the image, e.g. `skopeo copy --dest-compress-format gzip`.",
  });
};
