import { listsOf, matches, type Service, type Voice, voicesAmong } from "../meaning/index.js";
import type { AclRule, Action, BoundScenario } from "../model/index.js";

/**
 * A rule that its author may have meant otherwise. `shadowed`: earlier rules of the same list decide
 * whatever it would match. `ineffective`: it decides, and without it every flow would fare the same.
 */
export interface Advisory {
  readonly code: "BOUNDARY_RULE_SHADOWED" | "BOUNDARY_RULE_INEFFECTIVE";
  readonly kind: "shadowed" | "ineffective";
  readonly rule: AclRule;
}

/** No rule names it, since rules' ports are above it. */
const NO_PORT = 0;

/** One service of each kind that the voices tell apart. */
const servicesOf = (voices: readonly Voice[]): readonly Service[] => {
  const named = (protocol: "tcp" | "udp") => [
    NO_PORT,
    ...new Set(
      voices.flatMap(({ rules }) =>
        rules.flatMap((rule) => (rule.protocol === protocol ? rule.ports : [])),
      ),
    ),
  ];
  return [
    ...(["tcp", "udp"] as const).flatMap((protocol) =>
      named(protocol).map((port) => ({ protocol, port })),
    ),
    { protocol: "icmp", port: null },
    { protocol: "other", port: null },
  ];
};

/** An owner's word, and what it would be without the rule that spoke; null: it would have none. */
interface Word {
  readonly rule: AclRule | null;
  readonly action: Action;
  readonly without: Action | null;
}

const wordOf = ({ rules, ruling }: Voice, otherwise: Action, service: Service): Word => {
  const at = rules.findIndex((rule) => matches(rule, service));
  const rule = rules[at];
  if (rule === undefined) return { rule: null, action: otherwise, without: otherwise };
  const next = rules.slice(at + 1).find((later) => matches(later, service));
  const without = next?.action ?? (ruling === 1 ? null : otherwise);
  return { rule, action: rule.action, without };
};

const verdictOf = (words: readonly (Action | null)[], otherwise: Action): Action => {
  const spoken = words.filter((word) => word !== null);
  if (spoken.length === 0) return otherwise;
  return spoken.includes("deny") ? "deny" : "allow";
};

/** Rules that do nothing: findings to read, since a plan that allows too much may still be meant. */
export const advisoriesOf = (bound: BoundScenario): readonly Advisory[] => {
  const deciding = new Set<AclRule>();
  const mattering = new Set<AclRule>();
  const note = (words: readonly Word[]): void => {
    const action = verdictOf(
      words.map((word) => word.action),
      bound.default,
    );
    for (const { rule } of words) {
      if (rule === null || mattering.has(rule)) continue;
      deciding.add(rule);
      const others = words.map((word) => (word.rule === rule ? word.without : word.action));
      if (verdictOf(others, bound.default) !== action) mattering.add(rule);
    }
  };

  const lists = listsOf(bound.rules);
  for (const source of bound.attachments) {
    for (const destination of bound.attachments) {
      if (source === destination) continue;
      const voices = voicesAmong(lists, source, destination);
      const open = voices.some(({ rules }) => rules.some((rule) => !mattering.has(rule)));
      if (!open) continue;
      for (const service of servicesOf(voices)) {
        note(voices.map((voice) => wordOf(voice, bound.default, service)));
      }
    }
  }
  return bound.rules
    .filter((rule) => !mattering.has(rule))
    .map((rule) =>
      deciding.has(rule)
        ? { code: "BOUNDARY_RULE_INEFFECTIVE", kind: "ineffective", rule }
        : { code: "BOUNDARY_RULE_SHADOWED", kind: "shadowed", rule },
    );
};
