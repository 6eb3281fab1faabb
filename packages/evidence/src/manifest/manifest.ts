import { parseCanonical } from "../json/parse-canonical.js";
import { isJsonObject } from "../json/value.js";
import {
  BOUNDARY_MANIFEST_SCHEMA,
  type BoundaryManifest,
  boundaryManifestReader,
} from "./boundary.js";
import { LAB_MANIFEST_SCHEMA, type LabManifest, labManifestReader } from "./lab.js";
import { type RunManifest, runManifestReader } from "./run.js";

/** The sealed inputs of whatever evidence is about, told apart by `schema`. */
export type Manifest = RunManifest | BoundaryManifest | LabManifest;

/** 4096 arguments of 128 KiB would be half a gigabyte: the file is what bounds them together. */
export const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;

/**
 * @param bytes `manifest.json` as stored: canonical, without a final LF.
 * @throws JsonError, ShapeError
 */
export const parseManifest = (bytes: Uint8Array): Manifest => {
  const value = parseCanonical(bytes, { maxBytes: MAX_MANIFEST_BYTES });
  const schema = isJsonObject(value) ? value["schema"] : null;
  switch (schema) {
    case BOUNDARY_MANIFEST_SCHEMA:
      return boundaryManifestReader.read(value, "manifest");
    case LAB_MANIFEST_SCHEMA:
      return labManifestReader.read(value, "manifest");
    default:
      return runManifestReader.read(value, "manifest");
  }
};
