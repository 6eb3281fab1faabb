import { parsePlan } from "../../plan/index.js";
import { parsePlatform } from "../../platform/index.js";
import { policy } from "../../testing/index.js";
import { platformFile } from "../../testing/platform-file.js";
import type { Wanted } from "../index.js";

export interface LabWanted {
  readonly owner: string;
  /** Id of the laboratory's image, of which everything is made. */
  readonly image: string;
  /** A plan's file. */
  readonly plan: string;
  /** What nodes run. */
  readonly command: readonly string[];
}

/** A plan under the fixture's policy, of one image. */
export const wantedOf = ({ owner, image, plan, command }: LabWanted): Wanted => {
  const reference = `lab@${image}`;
  return {
    owner,
    plan: parsePlan(Buffer.from(plan), { file: "plan.yaml" }),
    platform: {
      policy,
      parts: parsePlatform(Buffer.from(platformFile(reference)), { file: "platform.yaml" }),
    },
    images: new Map([[reference, image]]),
    helper: { image: reference, command },
  };
};
