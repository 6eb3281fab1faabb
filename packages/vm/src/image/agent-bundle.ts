import { readFileSync } from "node:fs";
import { digestOf } from "@drydock/evidence";
import { imageError, quote } from "./errors.js";
import type { ResolvedImage } from "./images.js";

/** The guest agent of this installation. @throws DrydockError IMAGE_INPUT */
export const readAgentBundle = (path: string): Buffer => {
  try {
    return readFileSync(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
    throw imageError("IMAGE_INPUT", `the guest agent's bundle ${path} is missing`, {
      fix: "Run ./scripts/setup, which builds it.",
      cause,
    });
  }
};

/**
 * What is said to an agent is said to one of the same version: another may not know a message, and
 * hangs up in the middle of a run, as a guest does that was taken over.
 *
 * @throws DrydockError IMAGE_OUTDATED, IMAGE_INPUT
 */
export const requireOwnAgent = (
  { name, agentBundle }: Pick<ResolvedImage, "name" | "agentBundle">,
  bundlePath: string,
): void => {
  if (digestOf(readAgentBundle(bundlePath)) === agentBundle) return;
  throw imageError(
    "IMAGE_OUTDATED",
    `image ${quote(name)} holds the agent of another version of Drydock`,
    {
      fix: "Run `drydock image build` as it was built, or `drydock image import` as it was imported.",
    },
  );
};
