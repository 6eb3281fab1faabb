import { matches, type Service, type Voice, voicesAmong } from "../meaning/index.js";
import type { AclRule, Action, BoundScenario } from "../model/index.js";

/**
 * A rule without which every flow would fare the same, so that its author may have meant it
 * otherwise. `shadowed`: it never decides, since earlier rules of the same list match whatever it
 * would, or nothing can. `ineffective`: it decides.
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

/** An owner's word, and what it would be without the rule that it rests on; null: it would have none. */
interface Word {
  /** Null where the word is the end of a list that is about the side with or without any one rule. */
  readonly rule: AclRule | null;
  /** Whether the rule matches. If not, the owner has a word, its list's end, because of it alone. */
  readonly decides: boolean;
  readonly action: Action;
  readonly without: Action | null;
}

const wordOf = (voice: Voice, otherwise: Action, service: Service): Word => {
  const { rules } = voice;
  const sole = soleOf(voice);
  const at = rules.findIndex((rule) => matches(rule, service));
  const rule = rules[at];
  const end = sole === null ? otherwise : null;
  if (rule === undefined) return { rule: sole, decides: false, action: otherwise, without: end };
  const next = rules.slice(at + 1).find((later) => matches(later, service));
  return { rule, decides: true, action: rule.action, without: next?.action ?? end };
};

/** The one rule that makes an owner speak on a side at all; null where others do as well. */
const soleOf = ({ ruling: [rule, another] }: Voice): AclRule | null =>
  rule === undefined || another !== undefined ? null : rule;

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
    for (const { rule, decides } of words) {
      if (rule === null || mattering.has(rule)) continue;
      if (decides) deciding.add(rule);
      const others = words.map((word) => (word.rule === rule ? word.without : word.action));
      if (verdictOf(others, bound.default) !== action) mattering.add(rule);
    }
  };

  const voicesBetween = voicesAmong(bound.rules);
  for (const source of bound.attachments) {
    for (const destination of bound.attachments) {
      if (source === destination) continue;
      const voices = voicesBetween(source, destination);
      const isOpen = (rule: AclRule | null): boolean => rule !== null && !mattering.has(rule);
      if (!voices.some((voice) => isOpen(soleOf(voice)) || voice.rules.some(isOpen))) continue;
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
