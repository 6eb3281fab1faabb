import { type Aim, describeStrayPort, isProven, type Proof } from "@drydock/boundary";
import { visible } from "../../terminal/sanitise.js";
import { chooseStyle } from "../../terminal/style.js";

interface Standing {
  /** Nobody released it. */
  readonly development: boolean;
}

/** What was compared and what it showed, for a program. */
export const proofJson = (
  { desired, realisation }: Aim,
  proof: Proof,
  { development }: Standing,
) => ({
  owner: desired.owner,
  realisation,
  development,
  networks: desired.networks.length,
  containers: desired.anchors.length + desired.nodes.length,
  rulesets: proof.expected.map(({ authority, digest }) => ({ authority, digest })),
  differences: proof.differences,
  strayPorts: proof.strayPorts,
  meaning:
    proof.report === null
      ? null
      : { ok: proof.report.ok, cells: proof.report.cells, differing: proof.report.differing },
  proven: isProven(proof),
});

/** The same for a person. */
export const describeProof = (
  { desired, realisation }: Aim,
  proof: Proof,
  { development }: Standing,
): string => {
  const style = chooseStyle(process.stdout.isTTY === true, process.env);
  const { expected, differences, strayPorts, report } = proof;
  const word = isProven(proof) ? style.good("holds") : style.bad("isn't proven");
  return [
    `boundary ${visible(desired.owner)} ${word}`,
    `realisation  ${realisation}`,
    ...expected.map(({ authority, digest }) => `${authority.padEnd(12)} ${digest}`),
    report === null
      ? "checked      nothing: the kernel holds no whole ruleset of this boundary"
      : `checked      ${report.cells} classes of packets, ${report.differing} decided otherwise than meant`,
    ...differences.map(({ kind, table, chain, rule }) => {
      const place = [table, chain, rule].filter((part) => part !== null).join(", ");
      return `differs      ${kind}: ${visible(place)}`;
    }),
    ...strayPorts.map((stray) => `stray        ${visible(describeStrayPort(stray))}`),
    ...(development ? ["development  no evidence of an appliance"] : []),
    "",
  ].join("\n");
};
