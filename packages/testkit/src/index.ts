export { closed } from "./closed.js";
export { type Profile, profile } from "./profile.js";
export {
  assertNoticed,
  runTestFileWithSwaps,
  type Swap,
  swapArguments,
  swapEnvironment,
} from "./swap.js";
export { temporaryDirectory } from "./temp.js";
