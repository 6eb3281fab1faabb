export {
  ABOUT_CHAIN,
  type About,
  formatAbout,
  ownerDigest,
  parseAbout,
  tableName,
} from "./about.js";
export {
  isFamily,
  type ListedBase,
  type ListedChain,
  type ListedObject,
  type ListedRule,
  type ListedTable,
  type Listing,
  tableOf,
} from "./listing.js";
export { normalRule, normalTable } from "./normal.js";
export { MAX_LISTING_BYTES, parseNftJson } from "./parse.js";
export { isToldJson, parseToldRules } from "./parse-told.js";
export { printAbouts, printDeletion, printRule, printTables } from "./print.js";
export { digestOf, sealRuleset, type UnsealedRuleset } from "./seal.js";
