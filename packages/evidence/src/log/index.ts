export {
  type Checkpoint,
  logOrigin,
  parseCheckpoint,
  type SignedCheckpoint,
  signCheckpoint,
  splitNotes,
} from "./checkpoint.js";
export {
  type AppendFile,
  appendFileFromDescriptor,
  type OpenAppendFile,
  openAppendFile,
} from "./file.js";
export {
  consistencyProof,
  EMPTY_ROOT,
  IncrementalTree,
  inclusionProof,
  leafHash,
  nodeHash,
  rootOf,
} from "./merkle.js";
export { isConsistent, isIncluded } from "./merkle-verify.js";
export { cosignedAt, cosignNote, isNoteSignedBy, type Note, parseNote, signNote } from "./note.js";
export { type RecoveredLog, recoverLog } from "./recover.js";
export {
  continueLog,
  type Event,
  type LogClock,
  type LogHead,
  type LogOptions,
  type LogTail,
  type LogWriter,
  openLog,
} from "./writer.js";
