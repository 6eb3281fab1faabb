import { createLabFor, specOf } from "./lab.js";
import type { Lab, LabOptions } from "./types.js";

/**
 * Seals the source, starts a virtual machine with no network device, and resolves when commands
 * may run in it.
 *
 * @example
 * ```ts
 * import { createLab } from "drydock";
 *
 * await using lab = await createLab({ source: { from: ".", ref: "main" } });
 * const { exit, stdout } = await lab.exec(["npm", "test"]);
 * console.log(exit, stdout);
 * const report = await lab.close();
 * console.log(report.verdict, report.evidence);
 * ```
 *
 * @throws DrydockError with a code and, where there is one, a fix.
 */
export const createLab = (options: LabOptions = {}): Promise<Lab> =>
  createLabFor(specOf(options), options);
