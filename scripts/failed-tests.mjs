/**
 * Names the tests that failed, with file and reason, for the end of a run: among thousands of lines
 * nobody finds the two that say "not ok".
 */
const MAX_REASON_LINES = 12;
/** For the other reporters to write their last. */
const LAST_WORDS_MS = 10_000;

export default async function* failures(events) {
  for await (const { type, data } of events) {
    if (type !== "test:fail" || data.details.error?.failureType === "subtestsFailed") continue;
    const cause = data.details.error?.cause ?? data.details.error;
    const reason = String(cause?.stack ?? cause)
      .split("\n")
      .slice(0, MAX_REASON_LINES);
    yield `${data.file}:${data.line}: ${data.name}\n${reason.map((line) => `    ${line}\n`).join("")}`;
  }
  // A program that a test left behind may hold the test's output, and would keep the run from its
  // end for as long as it lives.
  setTimeout(() => process.exit(), LAST_WORDS_MS).unref();
}
