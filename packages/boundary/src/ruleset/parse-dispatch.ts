import { isJsonObject, type JsonValue, quote } from "@drydock/evidence";
import type { Dispatch } from "../model/index.js";
import { foreign } from "./foreign.js";
import { nameOf } from "./parse-match.js";
import { ipv4, operand, text } from "./parse-value.js";

/**
 * `iifname vmap { "port" : jump chain }`. A named map is foreign, since its entries can change
 * behind the rule, and so is every verdict but a jump.
 *
 * @throws Foreign
 */
export const parseDispatch = (body: JsonValue): Dispatch => {
  const { key, data, ...more } = isJsonObject(body) ? body : {};
  if (key === undefined || !isJsonObject(key) || data === undefined) {
    return foreign("a map without key or entries");
  }
  const [entry, rest] = Object.entries(key);
  if (entry === undefined || rest !== undefined || Object.keys(more).length > 0) {
    return foreign("a map of more than one thing");
  }
  const { elements, isSet } = operand(data);
  if (!isSet) return foreign("a map that has a name");
  const to = elements.map(entryOf);
  const by = nameOf(...entry);
  switch (by) {
    case "meta iifname":
      return { kind: "dispatch", by: "iifname", to: to.map(named) };
    case "meta oifname":
      return { kind: "dispatch", by: "oifname", to: to.map(named) };
    case "ip saddr":
      return { kind: "dispatch", by: "ip-source", to: to.map(addressed) };
    case "ip daddr":
      return { kind: "dispatch", by: "ip-destination", to: to.map(addressed) };
    default:
      return foreign(`a map of ${quote(by)}`);
  }
};

interface Listed {
  readonly is: JsonValue;
  readonly chain: string;
}

const named = ({ is, chain }: Listed) => ({ is: text(is), chain });
const addressed = ({ is, chain }: Listed) => ({ is: ipv4(is), chain });

const entryOf = (element: JsonValue): Listed => {
  const [is, verdict, more] = Array.isArray(element) ? element : [];
  if (is === undefined || verdict === undefined || more !== undefined || !isJsonObject(verdict)) {
    return foreign("an entry that isn't a key and a verdict");
  }
  const { jump, ...others } = verdict;
  const { target, ...rest } = jump !== undefined && isJsonObject(jump) ? jump : {};
  return typeof target !== "string" || Object.keys({ ...others, ...rest }).length > 0
    ? foreign(`a map with the verdict ${quote(JSON.stringify(verdict))}`)
    : { is, chain: target };
};
