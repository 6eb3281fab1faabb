import type { AnswerRecord } from "../message/read-records.js";
import { isBelow, type WireName } from "../message/wire-name.js";
import type { Answer } from "./answer.js";

const MALFORMED: Answer = { kind: "refused", reason: "DNS_MALFORMED" };
const TOO_MANY: Answer = { kind: "refused", reason: "DNS_TOO_MANY" };

/**
 * Guard: the addresses at the end of the aliases that start at `name` (folded), all within one
 * answer section. A record that isn't on that way makes the whole answer refused: it was put there
 * by somebody who hoped for a careless reader. So does a name with two aliases, or with an alias
 * and an address (RFC 2181 §10.1), and a loop.
 *
 * A DNAME (RFC 6672) is passed over when it lies above a name on the way, as the alias that it
 * stands for has to be there as well (§3.1); by itself it leads nowhere. A way that ends without
 * an address is a complete answer, and nothing further is asked: completing it is what the
 * recursion is for that the query wants.
 */
export const followAliases = (
  name: WireName,
  records: readonly AnswerRecord[],
  maxAliases: number,
): Answer => {
  const way = [name];
  for (let current = name; ; ) {
    const here = records.filter(({ owner }) => owner === current);
    const [alias, second] = here.filter((record) => record.kind === "alias");
    if (alias === undefined) break;
    if (second !== undefined || here.some(({ kind }) => kind === "address")) return MALFORMED;
    if (way.includes(alias.target)) return MALFORMED;
    if (way.length > maxAliases) return TOO_MANY;
    way.push(alias.target);
    current = alias.target;
  }
  const onWay = (record: AnswerRecord): boolean => {
    switch (record.kind) {
      case "address":
      case "alias":
        return way.includes(record.owner);
      case "redirection":
        return way.some((step) => isBelow(step, record.owner));
      case "other":
        return false;
    }
  };
  if (!records.every(onWay)) return MALFORMED;
  const addresses = records.flatMap((record) =>
    record.kind === "address" ? [record.address] : [],
  );
  return { kind: "addresses", addresses, ttl: Math.min(...records.map(({ ttl }) => ttl)) };
};
