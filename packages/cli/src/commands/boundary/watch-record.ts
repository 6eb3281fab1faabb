import type { GateFinding, Proof } from "@drydock/boundary";
import type { Event } from "@drydock/evidence";
import { proofEvents } from "./receipts.js";

/** The first say what was wrong; a watch that reports could go on for months. */
const MAX_FINDINGS = 256;
const MAX_ABOUT = 256;

/** What a watch leaves in its evidence, of which there is little however long it takes. */
export class WatchRecord {
  readonly #record: (event: Event) => void;
  #findings = 0;
  #isProven = false;

  constructor(record: (event: Event) => void) {
    this.#record = record;
  }

  get findings(): number {
    return this.#findings;
  }

  /** The first proof alone: all that follow say the same, or something is found. */
  proven(proof: Proof): void {
    if (this.#isProven) return;
    this.#isProven = true;
    for (const event of proofEvents(proof)) {
      if (event.type !== "boundary.end") this.#record(event);
    }
  }

  found(findings: readonly GateFinding[]): void {
    for (const { code, about } of findings) {
      this.#findings += 1;
      if (this.#findings > MAX_FINDINGS) continue;
      const measurements = { code, about: (about ?? "").slice(0, MAX_ABOUT) };
      this.#record({ type: "boundary.finding", measurements });
    }
  }

  floor(decision: "dropped" | "failed", reason: string): void {
    this.#record({ type: "boundary.floor", decision, measurements: { reason } });
  }

  end(isOpen: boolean): void {
    const isKnown = isOpen ? this.#isProven && this.#findings === 0 : true;
    this.#record({
      type: "boundary.end",
      decision: isKnown ? (isOpen ? "standing" : "floor") : "unknown",
      measurements: { differences: 0, findings: this.#findings },
    });
  }
}
