import type { EvidenceRecord } from "../record/record.js";
import type { Authority } from "./trust.js";

/**
 * Whether the key of a log may assert this record: its role, its witness class, at its time. A
 * signature never upgrades a class: a port key that signs HOST_OBSERVED is refused here.
 */
export const mayAssert = (
  authority: Pick<Authority, "roles" | "classes" | "notBefore" | "notAfter">,
  record: Pick<EvidenceRecord, "role" | "class" | "wall">,
): boolean =>
  authority.roles.includes(record.role) &&
  authority.classes.includes(record.class) &&
  authority.notBefore <= record.wall &&
  record.wall <= authority.notAfter;
