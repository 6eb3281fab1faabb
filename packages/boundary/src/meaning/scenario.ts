import type {
  AclRule,
  Action,
  BoundScenario,
  Flow,
  Ground,
  Judgement,
  PlanAddress,
} from "../model/index.js";

/** The side of a flow that an owner speaks for: as its destination, or as its source. */
export type Side = "in" | "out";

/** One owner on one side of a flow that its list rules. */
export interface Voice {
  readonly owner: PlanAddress;
  readonly side: Side;
  /** Of the owner's list: those about this side, whichever networks they name. At least one. */
  readonly ruling: readonly AclRule[];
  /** Of the owner's list, in order: those that this side and these two networks fit. */
  readonly rules: readonly AclRule[];
}

type End = Flow["source"];

/** A node speaks for its attachments, a network for whatever is attached to it. */
const covers = (owner: PlanAddress, side: Side, source: End, destination: End): boolean => {
  const end = side === "in" ? destination : source;
  return end.holder === owner || end.network === owner;
};

const hasDirection = (rule: AclRule, side: Side): boolean =>
  rule.direction === side || rule.direction === "inout";

const joins = (rule: AclRule, source: End, destination: End): boolean =>
  (rule.from === null || rule.from === source.network) &&
  (rule.to === null || rule.to === destination.network);

/** Every owner's rules, in order. */
type Lists = ReadonlyMap<PlanAddress, readonly AclRule[]>;

const listsOf = (rules: readonly AclRule[]): Lists => {
  const lists = new Map<PlanAddress, AclRule[]>();
  for (const rule of rules) {
    const list = lists.get(rule.owner);
    if (list === undefined) lists.set(rule.owner, [rule]);
    else list.push(rule);
  }
  for (const list of lists.values()) list.sort((one, other) => one.order - other.order);
  return lists;
};

/**
 * Everybody who has a word in flows from one attachment to another: in, then out. What it worked out
 * for two attachments it keeps by their identity, so ask one for many flows.
 */
export const voicesAmong = (
  rules: readonly AclRule[],
): ((source: End, destination: End) => readonly Voice[]) => {
  const lists = listsOf(rules);
  const known = new Map<End, Map<End, readonly Voice[]>>();
  return (source, destination) => {
    const ofSource = known.get(source) ?? new Map<End, readonly Voice[]>();
    known.set(source, ofSource);
    const voices = ofSource.get(destination) ?? voicesBetween(lists, source, destination);
    ofSource.set(destination, voices);
    return voices;
  };
};

const voicesBetween = (lists: Lists, source: End, destination: End): readonly Voice[] => {
  const ends = new Set([destination, source].flatMap(({ holder, network }) => [holder, network]));
  return [...ends].flatMap((owner) =>
    (["in", "out"] as const)
      .filter((side) => covers(owner, side, source, destination))
      .flatMap((side) => {
        const ruling = (lists.get(owner) ?? []).filter((rule) => hasDirection(rule, side));
        const rules = ruling.filter((rule) => joins(rule, source, destination));
        return ruling.length === 0 ? [] : [{ owner, side, ruling, rules }];
      }),
  );
};

/** What else a rule looks at; a port counts only with the two protocols that have some. */
export type Service = Pick<Flow, "protocol" | "port">;

export const matches = (rule: AclRule, service: Service): boolean =>
  (rule.protocol === "any" || rule.protocol === service.protocol) &&
  (rule.ports.length === 0 || rule.ports.includes(service.port ?? Number.NaN));

interface Word {
  readonly action: Action;
  readonly ground: Ground;
}

/** What one owner says: its first rule that matches, or else the plan's default. */
const wordOf = ({ owner, side, rules }: Voice, otherwise: Action, service: Service): Word => {
  const rule = rules.find((candidate) => matches(candidate, service));
  return rule === undefined
    ? { action: otherwise, ground: { kind: "list-end", owner, side } }
    : { action: rule.action, ground: { kind: "rule", rule } };
};

/** No word is a denial; and somebody has a word, or the plan allows by default. */
export const judgeAmong = (
  voices: readonly Voice[],
  otherwise: Action,
  service: Service,
): Judgement => {
  if (voices.length === 0) {
    return { action: otherwise, grounds: [{ kind: "default", authority: "scenario" }] };
  }
  const words = voices.map((voice) => wordOf(voice, otherwise, service));
  return {
    action: words.some(({ action }) => action === "deny") ? "deny" : "allow",
    grounds: words.map(({ ground }) => ground),
  };
};

/**
 * What a plan says about a new flow between two of its attachments. Replies to an allowed flow are
 * no flow: they always pass.
 */
export const judgeScenario = (bound: BoundScenario, flow: Flow): Judgement =>
  judgeAmong(voicesAmong(bound.rules)(flow.source, flow.destination), bound.default, flow);
