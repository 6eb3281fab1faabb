import type { ResolverLimits } from "../limits.js";
import { RCODE } from "../message/format.js";
import type { Question } from "../message/question.js";
import { readHead } from "../message/read-head.js";
import { readRecords } from "../message/read-records.js";
import { foldCase } from "../message/wire-name.js";
import type { Answer } from "./answer.js";
import { echoes } from "./echoes.js";
import { followAliases } from "./follow.js";
import { overLimit, type Transport } from "./over-limit.js";

const MALFORMED: Answer = { kind: "refused", reason: "DNS_MALFORMED" };

/**
 * What a message, which came over `over` from the server that was asked, says to the question.
 * Never throws, whatever the bytes.
 */
export const readAnswer = (
  question: Question,
  message: Uint8Array,
  over: Transport,
  limits: Pick<ResolverLimits, "maxAnswers" | "maxAliases" | "maxMessageBytes">,
): Answer => {
  const head = readHead(message);
  if (head === null || !echoes(question, head)) return { kind: "unrelated" };
  if (head.reserved) return MALFORMED;
  if (head.truncated) return over === "udp" ? { kind: "truncated" } : MALFORMED;
  if (head.rcode !== RCODE.NO_ERROR && head.rcode !== RCODE.NAME_ERROR) return { kind: "failed" };
  if (overLimit(message.length, over, head.counts, limits)) {
    return { kind: "refused", reason: "DNS_TOO_MANY" };
  }
  const records = readRecords(message, head, question.family);
  if (records === null) return MALFORMED;
  const answer = followAliases(foldCase(question.name), records, limits.maxAliases);
  if (head.rcode === RCODE.NO_ERROR || answer.kind !== "addresses") return answer;
  // RFC 2308 §2.1: after aliases it is the last name that doesn't exist.
  return answer.addresses.length === 0 ? { kind: "no-name" } : MALFORMED;
};
