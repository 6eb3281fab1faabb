import type { Digest, PublicKey } from "@drydock/evidence";
import type { AppliancePolicy, GuestPublication } from "../model/index.js";
import type { ReleaseManifest } from "../release/index.js";
import type { GuestObservation } from "./observation.js";

export type GatePhase = "image-qualification" | "start";

/** What a launcher bound this appliance to, before it started. */
export interface GateBinding {
  /** 32 random bytes in hexadecimal digits, new for every launch, so that no look is used twice. */
  readonly launch: string;
  readonly planDigest: Digest;
  readonly hostBootId: string;
  readonly guestBootId: string;
  readonly guestDaemonId: string;
  /** null: any observation that is fresh and signed. */
  readonly hostObservationId: Digest | null;
  /** Where signed publications lead inside of the appliance; one that isn't here may say nothing of it. */
  readonly mappings: readonly {
    readonly outer: GuestPublication;
    readonly guest: { readonly address: string; readonly port: number };
  }[];
}

export interface GateRequest {
  readonly phase: GatePhase;
  readonly policy: AppliancePolicy;
  readonly release: ReleaseManifest;
  readonly binding: GateBinding;
  /** As handed over; null: there is none. */
  readonly hostObservation: Uint8Array | null;
  /** Supplied apart from the observation. */
  readonly hostKey: PublicKey;
  readonly guest: GuestObservation;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly development: boolean;
}
