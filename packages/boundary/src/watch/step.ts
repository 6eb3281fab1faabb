import type { GateFinding, GateFindingCode } from "../gate/index.js";
import type { Expected } from "../realise/index.js";
import { isTransient, type Look } from "./look.js";

/**
 * A busy machine takes this long to stop or to start a container (four seconds and more were seen);
 * what is unclear for longer is drift. Each look meanwhile shows that the rules are whole, and they
 * know nothing of a new port: nothing of it passes.
 */
export const UNCLEAR_MS = 10_000;
export const LOOK_AGAIN_MS = 100;
/** For as long a container may be down between two starts: nothing of it is bound meanwhile. */
export const RESTART_MS = 10_000;

export interface WatchState {
  /** `report`: only with --dev. */
  readonly mode: "close" | "report";
  /** Once closed, only a new apply opens a boundary. */
  readonly isOpen: boolean;
  /**
   * A look, a binding or a drop is under way; there is one at a time. A drop alone doesn't wait for
   * what is, and once closed only drops count.
   */
  readonly busy: boolean;
  /** Something happened meanwhile. */
  readonly again: boolean;
  /** The next look that finds nothing is followed by a whole observation. */
  readonly due: boolean;
  /**
   * Takes longer than a look, and looks go on meanwhile. Since it began, `stirred`: something
   * happened; `stale`: something moved.
   */
  readonly observing: "no" | "yes" | "stirred" | "stale";
  readonly unclearSince: number | null;
  readonly downSince: number | null;
  /** What was said already and isn't said again before all is well. */
  readonly reported: readonly string[];
}

export const watching = (mode: WatchState["mode"]): WatchState => ({
  mode,
  isOpen: true,
  busy: false,
  again: false,
  due: true,
  observing: "no",
  unclearSince: null,
  downSince: null,
  reported: [],
});

export type WatchEvent =
  /** Engine or kernel said that something changed. */
  | { readonly kind: "stirred" }
  /** The period's end: what nobody tells of, such as a sysctl, is looked at as well. */
  | { readonly kind: "tick" }
  /** Somebody's word or a glance was enough: rules, a setting, an event that says it all. */
  | { readonly kind: "drifted"; readonly findings: readonly GateFinding[] }
  | { readonly kind: "looked"; readonly look: Look; readonly at: number }
  | { readonly kind: "bound" }
  | {
      readonly kind: "observed";
      readonly findings: readonly GateFinding[];
      readonly at: number;
    }
  /** It threw, or a source of events ended. */
  | {
      readonly kind: "failed";
      readonly what: "look" | "glance" | "bind" | "drop" | "observe" | "source";
      readonly code: string;
    }
  | { readonly kind: "dropped" };

export type WatchEffect =
  | { readonly kind: "look"; readonly afterMs: number }
  | { readonly kind: "bind"; readonly to: Expected }
  | { readonly kind: "observe" }
  /** Both authorities' floors, which close publications and cut what runs. */
  | { readonly kind: "drop" }
  | { readonly kind: "report"; readonly findings: readonly GateFinding[] };

export interface WatchStep {
  readonly state: WatchState;
  readonly effects: readonly WatchEffect[];
}

/** What a container that is down for a moment leaves behind. */
const WHILE_DOWN: ReadonlySet<GateFindingCode> = new Set([
  "boundary.guest-observation-gap",
  // Of a container that starts again; a port that isn't is told by looks.
  "boundary.guest-stray-port",
  "boundary.docker-authority-missing",
]);

/**
 * What an observation finds that read the containers after something happened and the rules before
 * it was bound. Each happening is followed by a look, which compares the same.
 */
const JUDGED_BY_LOOKS: ReadonlySet<GateFindingCode> = new Set([
  "boundary.guest-readback-difference",
  "boundary.guest-meaning-difference",
  "boundary.guest-default-deny-missing",
]);

export const step = (state: WatchState, event: WatchEvent): WatchStep => {
  switch (event.kind) {
    case "stirred":
      return stirred(state.observing === "yes" ? { ...state, observing: "stirred" } : state);
    case "tick":
      return stirred({ ...state, due: true });
    case "drifted":
      return state.isOpen ? close(state, event.findings, false) : { state, effects: [] };
    case "looked":
      // Else it began before the drop, whose turn it is.
      return state.isOpen ? looked(state, event) : { state, effects: [] };
    case "bound":
      // What was loaded is looked at, as if anybody had loaded it.
      return state.isOpen ? next({ ...state, again: true }) : stirred(state);
    case "observed":
      return observed(state, event);
    case "failed":
      return failed(state, event);
    case "dropped":
      return next(state);
  }
};

const stirred = (state: WatchState): WatchStep => {
  if (state.busy) return { state: { ...state, again: true }, effects: [] };
  const busy = { ...state, busy: true, again: false };
  // A floor that somebody took away is laid again.
  return {
    state: busy,
    effects: state.isOpen ? [{ kind: "look", afterMs: 0 }] : [{ kind: "drop" }],
  };
};

const next = (state: WatchState): WatchStep => {
  const idle = { ...state, busy: false };
  return state.again ? stirred(idle) : { state: idle, effects: [] };
};

const looked = (
  state: WatchState,
  { look, at }: Extract<WatchEvent, { readonly kind: "looked" }>,
): WatchStep => {
  switch (look.kind) {
    case "drift":
      return close(state, look.findings, true);
    case "moved":
      return {
        state: { ...overtaken(state), unclearSince: null },
        effects: [{ kind: "bind", to: look.to }],
      };
    case "unclear": {
      const since = state.unclearSince ?? at;
      if (at - since >= UNCLEAR_MS) {
        return close(state, [look.finding], true);
      }
      return {
        state: { ...overtaken(state), unclearSince: since },
        effects: [{ kind: "look", afterMs: LOOK_AGAIN_MS }],
      };
    }
    case "same": {
      const clear = { ...state, unclearSince: null };
      if (!state.due || state.observing !== "no") return next(clear);
      const { state: after, effects } = next({ ...clear, due: false, observing: "yes" });
      return { state: after, effects: [{ kind: "observe" }, ...effects] };
    }
  }
};

const failed = (
  state: WatchState,
  { what, code }: Extract<WatchEvent, { readonly kind: "failed" }>,
): WatchStep => {
  const finding = {
    code: "boundary.guest-observation-incomplete",
    about: `${what}: ${code}`,
  } as const;
  if (what === "drop") {
    // The next event, at the latest the period's end, tries it again.
    const { state: said, report } = reportNew({ ...state, again: false }, [finding]);
    const { state: after, effects } = next(said);
    return { state: after, effects: [...report, ...effects] };
  }
  const known = what === "observe" ? ({ ...state, observing: "no" } as const) : state;
  return close(known, [finding], what === "look" || what === "bind");
};

const overtaken = (state: WatchState): WatchState => ({
  ...state,
  observing: state.observing === "no" ? "no" : "stale",
});

const observed = (
  before: WatchState,
  { findings: all, at }: Extract<WatchEvent, { readonly kind: "observed" }>,
): WatchStep => {
  const state: WatchState = { ...before, observing: "no" };
  if (!state.isOpen) return { state, effects: [] };
  if (all.length === 0) {
    return { state: { ...state, downSince: null, reported: [] }, effects: [] };
  }
  const findings =
    before.observing === "stirred" ? all.filter(({ code }) => !JUDGED_BY_LOOKS.has(code)) : all;
  // It saw one part before and another after a container had started again. The looks judge that.
  const isBetween = findings.some(
    ({ code, about }) => code === "boundary.guest-binding-refused" && isTransient(about),
  );
  if (before.observing === "stale" || isBetween || findings.length === 0) {
    return stirred({ ...state, due: true });
  }
  const since = state.downSince ?? at;
  const isDown = findings.every(({ code }) => WHILE_DOWN.has(code));
  if (isDown && at - since < RESTART_MS) {
    return { state: { ...state, downSince: since }, effects: [] };
  }
  return close(state, findings, false);
};

/** @param endsTurn whether what found it was the one thing that is done at a time. */
const close = (
  state: WatchState,
  findings: readonly GateFinding[],
  endsTurn: boolean,
): WatchStep => {
  if (state.mode === "report") {
    const { state: said, report } = reportNew(state, findings);
    const calm = { ...said, unclearSince: null, downSince: null };
    const { state: after, effects } = endsTurn ? next(calm) : { state: calm, effects: [] };
    return { state: after, effects: [...report, ...effects] };
  }
  if (!state.isOpen) {
    const { state: said, report } = reportNew(state, findings);
    const { state: after, effects } = stirred(said);
    return { state: after, effects: [...effects, ...report] };
  }
  // Closed for good, whatever was being done: the floor comes before everything else.
  const { state: said, report } = reportNew({ ...state, reported: [] }, findings);
  return {
    state: { ...said, isOpen: false, busy: true, again: false },
    effects: [{ kind: "drop" }, ...report],
  };
};

/** What was said is said again once all was well, and not each time that it's seen. */
const reportNew = (
  state: WatchState,
  findings: readonly GateFinding[],
): { readonly state: WatchState; readonly report: readonly WatchEffect[] } => {
  const fresh = findings.filter((finding) => !state.reported.includes(textOf(finding)));
  const reported = [...state.reported, ...fresh.map(textOf)].slice(-MAX_REPORTED);
  const report: readonly WatchEffect[] =
    fresh.length === 0 ? [] : [{ kind: "report", findings: fresh }];
  return { state: { ...state, reported }, report };
};

const MAX_REPORTED = 1_024;

const textOf = ({ code, about }: GateFinding): string => `${code} ${about}`;
