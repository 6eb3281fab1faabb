export {
  type EgressLog,
  type LogDirectoryOptions,
  logTrust,
  openLogDirectory,
} from "./log-directory.js";
export { formatListen, type ListenAddress, parseListen } from "./parse-listen.js";
export { shareOf } from "./share-of.js";
export { type Standalone, type StandaloneOptions, startStandalone } from "./standalone.js";
