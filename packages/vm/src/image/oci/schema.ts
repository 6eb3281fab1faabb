import { parseJson } from "@drydock/evidence";
import * as z from "zod";
import { isDigest } from "../../store/index.js";
import { imageError, quote } from "../errors.js";

/**
 * The parts of the OCI image format 1.1 and of Docker's archive that matter here. Both specify
 * that unknown members are to be ignored, so these objects are loose where all of ours are strict;
 * duplicate members and floats are still refused by the reader.
 */
const digest = z.custom<string>((value) => typeof value === "string" && isDigest(value), {
  error: "not a sha256 digest",
});

/** Docker's engine refuses images with more than 127 layers. */
const MAX_LAYERS = 127;
const MAX_MANIFESTS = 256;
const MAX_STRINGS = 1024;
const MAX_STRING = 128 * 1024;

const text = z.string().max(MAX_STRING);
const texts = z.array(text).max(MAX_STRINGS);
/** Docker writes null for an empty list. */
const optionalTexts = texts.nullish().transform((value) => value ?? []);

const platform = z.looseObject({ os: text, architecture: text });

const descriptor = z.looseObject({
  mediaType: text,
  digest,
  size: z.int().min(0),
  urls: optionalTexts,
  platform: platform.optional(),
  annotations: z.record(text, text).optional(),
});

export type Descriptor = z.infer<typeof descriptor>;

const ociLayout = z.looseObject({ imageLayoutVersion: z.literal("1.0.0") });

const ociIndex = z.looseObject({
  schemaVersion: z.literal(2),
  manifests: z.array(descriptor).min(1).max(MAX_MANIFESTS),
});

const ociManifest = z.looseObject({
  schemaVersion: z.literal(2),
  config: descriptor,
  layers: z.array(descriptor).max(MAX_LAYERS),
});

const imageConfig = z.looseObject({
  architecture: text,
  os: text,
  config: z
    .looseObject({
      User: text.nullish().transform((value) => value ?? ""),
      Env: optionalTexts,
      Entrypoint: optionalTexts,
      Cmd: optionalTexts,
      WorkingDir: text.nullish().transform((value) => value ?? ""),
    })
    .nullish(),
  rootfs: z.looseObject({
    type: z.literal("layers"),
    diff_ids: z.array(digest).max(MAX_LAYERS),
  }),
});

export type OciImageConfig = z.infer<typeof imageConfig>;

const dockerManifest = z
  .array(
    z.looseObject({
      Config: text,
      RepoTags: optionalTexts,
      Layers: z.array(text).max(MAX_LAYERS),
    }),
  )
  .min(1)
  .max(MAX_MANIFESTS);

const parser =
  <T>(what: string, schema: z.ZodType<T>) =>
  (bytes: Buffer): T => {
    try {
      return schema.parse(parseJson(bytes));
    } catch (cause) {
      const where = cause instanceof z.ZodError ? z.prettifyError(cause) : (cause as Error).message;
      throw imageError("IMAGE_FORMAT", `${what} is malformed: ${quote(where)}`, { cause });
    }
  };

export const parseOciLayout = parser("oci-layout", ociLayout);
export const parseOciIndex = parser("the OCI index", ociIndex);
export const parseOciManifest = parser("the OCI manifest", ociManifest);
export const parseImageConfig = parser("the image's configuration", imageConfig);
export const parseDockerManifest = parser("manifest.json", dockerManifest);
