import { parsePlatform } from "../../platform/index.js";
import { plan, platformFile, policy } from "../../testing/index.js";
import type { ApplianceAim } from "../index.js";

export interface LabWanted {
  readonly owner: string;
  /** Id of the image of which everything is made. */
  readonly image: string;
  /** What nodes run; nothing without. */
  readonly command?: readonly string[];
}

/** The fixture's plan under its policy, of one image. */
export const wantedOf = ({
  owner,
  image,
  command = ["/bin/sleep", "3600"],
}: LabWanted): ApplianceAim["wanted"] => {
  const reference = `lab@${image}`;
  return {
    owner,
    plan,
    platform: {
      policy,
      parts: parsePlatform(Buffer.from(platformFile(reference)), { file: "platform.yaml" }),
    },
    images: new Map([[reference, image]]),
    helper: { image: reference, command },
  };
};
