import { CLASS_IN } from "../message/format.js";
import { type Question, typeOf } from "../message/question.js";
import type { MessageHead } from "../message/read-head.js";

/**
 * Guard: whether a message answers this very question (RFC 5452 §3, §9.1). The name has to come
 * back in the very case it was sent in, which only somebody who saw the query can know.
 */
export const echoes = (question: Question, head: MessageHead): boolean =>
  head.id === question.id &&
  head.isResponse &&
  head.opcode === 0 &&
  head.name === question.name &&
  head.type === typeOf(question.family) &&
  head.class === CLASS_IN;
