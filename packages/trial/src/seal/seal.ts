import { sealBundle } from "./source/from-bundle.js";
import { sealDirectory } from "./source/from-directory.js";
import { sealRemote } from "./source/from-remote.js";
import { sealWorkingTree } from "./source/from-working-tree.js";
import type { SourceRequest } from "./source/request.js";
import type { SealedSource, SealPorts } from "./source/result.js";

/**
 * Turns a source into one deterministic archive and says what it is.
 *
 * @throws DrydockError with a `SealErrorCode`; what was written stays inside the workspace.
 */
export const sealSource = (request: SourceRequest, ports: SealPorts): Promise<SealedSource> => {
  switch (request.kind) {
    case "directory":
      return sealDirectory(request, ports);
    case "bundle":
      return sealBundle(request, ports);
    case "remote":
      return sealRemote(request, ports);
    case "working-tree":
      return sealWorkingTree(request, ports);
  }
};
