import type { Realisation } from "../model/index.js";

/**
 * How the laboratories' rules are written. This machine's kernel may have br_netfilter alone; the
 * same tests run on one that has both, inside a guest, and are told.
 */
export const LAB_REALISATION: Realisation =
  process.env["DRYDOCK_LAB_REALISATION"] === "native" ? "native" : "br_netfilter";
