export { type Attempt, attemptsBefore } from "./attempts.js";
export { JOURNAL_SCHEMA, type JournalEntry, journalEntrySchema, journalOrigin } from "./entry.js";
export { type Journal, type JournalFiles, readJournal } from "./read.js";
export {
  findEntries,
  type JournalHead,
  journalHeadReader,
  type OpenJournal,
  resumeJournal,
} from "./resume.js";
export {
  type JournalPlace,
  type JournalRun,
  type JournalWriter,
  journalWriter,
  type SealedInJournal,
} from "./writer.js";
