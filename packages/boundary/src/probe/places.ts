import { DrydockError } from "@drydock/evidence";
import type { BoundaryCode } from "../codes.js";
import type { PlanAddress } from "../model/index.js";
import { type NetworkNamespace, openNamespace, startTimeOf } from "../nft/index.js";
import { ProbingPlace } from "./place.js";

/** A prober takes 40 MB while it runs. */
const MAX_PLACES = 64;

export interface PlacesOptions {
  /** The process of each node and anchor that runs. */
  readonly pids: ReadonlyMap<PlanAddress, number>;
  /** File of the prober. */
  readonly program: string;
  readonly toolDirectories: readonly string[];
}

/** A container's network namespace, and a prober that runs in it. */
export interface OpenPlace {
  readonly namespace: NetworkNamespace;
  readonly prober: ProbingPlace;
}

/** Probers by holder, each started when it's first asked for. Disposing of them ends all. */
export class OpenPlaces implements AsyncDisposable {
  readonly #opened = new Map<PlanAddress, OpenPlace>();
  readonly #options: PlacesOptions;

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  /**
   * @returns null where the holder doesn't run
   * @throws DrydockError PROBE_TOO_MANY, NAMESPACE_GONE, TOOL_…
   */
  of(holder: PlanAddress): OpenPlace | null {
    const known = this.#opened.get(holder);
    if (known !== undefined) return known;
    const { pids, program, toolDirectories } = this.#options;
    const pid = pids.get(holder);
    if (pid === undefined) return null;
    if (this.#opened.size >= MAX_PLACES) {
      throw new DrydockError<BoundaryCode>(
        "PROBE_TOO_MANY",
        `flows of more than ${MAX_PLACES} containers can't be tried at once`,
        { fix: "Try a sample." },
      );
    }
    const startTime = startTimeOf(pid);
    if (startTime === null) return null;
    const namespace = openNamespace({ kind: "pid", pid, startTime }, toolDirectories);
    const made = { namespace, prober: new ProbingPlace(namespace, program) };
    this.#opened.set(holder, made);
    return made;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const opened = [...this.#opened.values()];
    await Promise.all(opened.map(({ prober }) => prober[Symbol.asyncDispose]()));
    for (const { namespace } of opened) namespace[Symbol.dispose]();
  }
}
