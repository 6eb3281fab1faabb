export { type Profile, profile } from "./profile.js";
export { runTestFileWithSwaps, type Swap, swapEnvironment } from "./swap.js";
export { temporaryDirectory } from "./temp.js";
