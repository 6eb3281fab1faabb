import { imageError, quote } from "../errors.js";

const MEMBER = /^(oci-layout|index\.json|blobs\/sha256\/[0-9a-f]{64})$/;

export const isLayoutMember = (path: string): boolean => MEMBER.test(path);

/**
 * In a directory only the three fixed forms of the OCI image layout are opened: a path that the
 * image itself supplies, as Docker's manifest.json does, would be read as root on this host.
 */
export const layoutMember = (path: string): string => {
  if (isLayoutMember(path)) return path;
  throw imageError("IMAGE_PATH", `${quote(path)} is no member of an OCI image layout`);
};
