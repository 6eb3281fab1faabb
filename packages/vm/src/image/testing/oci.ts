import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { tarOf } from "./tar.js";

export type Members = Map<string, Buffer>;

export interface TestLayer {
  /** The blob as stored. */
  readonly blob: Buffer;
  readonly mediaType: string;
  /** The uncompressed tar. */
  readonly tar: Buffer;
  readonly descriptor?: Readonly<Record<string, unknown>>;
}

export const gzipLayer = (tar: Buffer): TestLayer => ({
  tar,
  blob: gzipSync(tar),
  mediaType: "application/vnd.oci.image.layer.v1.tar+gzip",
});

export const plainLayer = (tar: Buffer): TestLayer => ({
  tar,
  blob: tar,
  mediaType: "application/vnd.oci.image.layer.v1.tar",
});

export const hex = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

export interface ImageOptions {
  readonly architecture?: string;
  readonly os?: string;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly diffIds?: readonly string[];
}

const configBytes = (layers: readonly TestLayer[], options: ImageOptions): Buffer =>
  Buffer.from(
    JSON.stringify({
      architecture: options.architecture ?? "amd64",
      os: options.os ?? "linux",
      created: "2024-01-01T00:00:00Z",
      config: options.config ?? { Env: ["PATH=/bin"], Cmd: ["sh"], WorkingDir: "/srv", User: "7" },
      rootfs: {
        type: "layers",
        diff_ids: options.diffIds ?? layers.map(({ tar }) => `sha256:${hex(tar)}`),
      },
      history: [{ created_by: "test", empty_layer: true }],
    }),
  );

/** The members of an OCI image layout. */
export const ociLayout = (layers: readonly TestLayer[], options: ImageOptions = {}): Members => {
  const members: Members = new Map();
  const blob = (bytes: Buffer, mediaType: string) => {
    members.set(`blobs/sha256/${hex(bytes)}`, bytes);
    return { mediaType, digest: `sha256:${hex(bytes)}`, size: bytes.length };
  };
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: "application/vnd.oci.image.manifest.v1+json",
      config: blob(configBytes(layers, options), "application/vnd.oci.image.config.v1+json"),
      layers: layers.map((layer) => ({
        ...blob(layer.blob, layer.mediaType),
        ...layer.descriptor,
      })),
    }),
  );
  const index = {
    schemaVersion: 2,
    manifests: [blob(manifest, "application/vnd.oci.image.manifest.v1+json")],
  };
  members.set("oci-layout", Buffer.from('{"imageLayoutVersion":"1.0.0"}'));
  members.set("index.json", Buffer.from(JSON.stringify(index)));
  return members;
};

/** The members of what `docker save` wrote before version 25. */
export const dockerSave = (layers: readonly TestLayer[], options: ImageOptions = {}): Members => {
  const config = configBytes(layers, options);
  const members: Members = new Map([[`${hex(config)}.json`, config]]);
  const paths = layers.map(({ blob }) => {
    const path = `${hex(blob)}/layer.tar`;
    members.set(path, blob);
    return path;
  });
  const manifest = [{ Config: `${hex(config)}.json`, RepoTags: ["test:latest"], Layers: paths }];
  members.set("manifest.json", Buffer.from(JSON.stringify(manifest)));
  return members;
};

export const writeDirectory = (directory: string, members: Members): string => {
  for (const [path, bytes] of members) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), bytes);
  }
  return directory;
};

export const writeArchive = (path: string, members: Members): string => {
  writeFileSync(path, tarOf([...members].map(([name, content]) => ({ name, content }))));
  return path;
};
