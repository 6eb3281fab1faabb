/** For the lab and for tests; nothing else imports it (see .dependency-cruiser.cjs). */
export { type HookedStoreOptions, openContractStoreWithHooks } from "./hooked-store.js";
