import type { Guard } from "./guard.js";
import { NAME_GUARDS } from "./name.js";
import { REQUEST_GUARDS } from "./request.js";
import { RESOLVE_GUARDS } from "./resolve.js";
import { TERMINATE_GUARDS } from "./terminate.js";
import { TUNNEL_GUARDS } from "./tunnel.js";

export { GUARDS_BESIDE, TAKEN_AWAY_ELSEWHERE } from "./elsewhere.js";
export type { Guard } from "./guard.js";

/** Every guard that a cell of the matrix notices. */
export const GUARDS: readonly Guard[] = [
  ...NAME_GUARDS,
  ...REQUEST_GUARDS,
  ...RESOLVE_GUARDS,
  ...TERMINATE_GUARDS,
  ...TUNNEL_GUARDS,
];
