/**
 * Names the tests that failed, with file and reason, for the end of a run: among thousands of lines
 * nobody finds the two that say "not ok".
 */
const MAX_REASON_LINES = 12;

export default async function* failures(events) {
  for await (const { type, data } of events) {
    if (type !== "test:fail" || data.details.error?.failureType === "subtestsFailed") continue;
    const cause = data.details.error?.cause ?? data.details.error;
    const reason = String(cause?.stack ?? cause)
      .split("\n")
      .slice(0, MAX_REASON_LINES);
    yield `${data.file}:${data.line}: ${data.name}\n${reason.map((line) => `    ${line}\n`).join("")}`;
  }
}
