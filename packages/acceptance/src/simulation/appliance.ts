import type { HexDigest, Identifier, RecoveryContract } from "../contract/index.js";
import type { Answer, Way } from "./operator.js";
import type { Scene } from "./scene.js";
import { Violation } from "./violation.js";

/** Targets that are each one fingerprint, and everything that was ever sent to them. */
export class SimulatedAppliance {
  readonly #scene: Scene;
  readonly #now = new Map<HexDigest, HexDigest>();
  readonly #sent = new Set<string>();
  readonly #done = new Set<Identifier>();

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  look(contract: RecoveryContract): HexDigest {
    return this.#now.get(contract.targetIdentityDigest) ?? contract.targetFingerprint;
  }

  /** A read may fail; then nothing is known. */
  read(contract: RecoveryContract): HexDigest | null {
    return this.#scene.random(10) === 0 ? null : this.look(contract);
  }

  /** Whether the request arrives and whether its sender hears of it are two things. */
  send(contract: RecoveryContract, way: Way, holder: Identifier | null): Answer {
    const request = `${contract.contractId} ${way}`;
    if (this.#sent.has(request)) throw new Violation(`sent twice: ${request}`);
    if (holder !== contract.contractId) throw new Violation(`sent without its lock: ${request}`);
    this.#sent.add(request);
    const chance = this.#scene.random(10);
    if (chance === 0) return "not-sent";
    const arrives = chance > 2;
    if (arrives) {
      this.#now.set(
        contract.targetIdentityDigest,
        way === "forward" ? this.#scene.changed(contract) : contract.targetFingerprint,
      );
      if (way === "forward") this.#done.add(contract.contractId);
    }
    return arrives && chance > 4 ? "answered" : "nothing-heard";
  }

  edit(target: HexDigest, fingerprint: HexDigest): void {
    this.#now.set(target, fingerprint);
  }

  /** Puts a target right, as an owner does between two changes. */
  reset(target: HexDigest): void {
    this.#now.delete(target);
  }

  wasChangedBy({ contractId }: RecoveryContract): boolean {
    return this.#done.has(contractId);
  }
}
