import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import {
  bindingBytes,
  type LaunchBinding,
  mappingsOf,
  type ObservedTopology,
  type Proof,
} from "@drydock/boundary";
import { replaceFile } from "./replace-file.js";

/**
 * What a launch is bound to, for the gate and for whoever looks from outside: written anew by each
 * apply, so that a look at an earlier launch is none at this one.
 */
export const bindingOf = (
  { scenario, platform }: Proof,
  { bootId, daemonId }: Pick<ObservedTopology, "bootId" | "daemonId">,
  { development }: { readonly development: boolean },
): LaunchBinding | null =>
  scenario === null || platform === null
    ? null
    : {
        launch: randomBytes(32).toString("hex"),
        planDigest: scenario.planDigest,
        // One kernel: for a guest, whose host is another, the launcher writes the binding.
        hostBootId: bootId,
        guestBootId: bootId,
        guestDaemonId: daemonId,
        hostObservationId: null,
        development,
        mappings: mappingsOf(platform),
      };

/** Replaces the one before at once. */
export const writeBinding = (file: string, binding: LaunchBinding | null): void => {
  if (binding === null) return;
  replaceFile(file, bindingBytes(binding));
};

/** What it said may not hold any longer. */
export const withdrawBinding = (file: string): void => rmSync(file, { force: true });
