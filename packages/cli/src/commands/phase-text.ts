/** What a phase of the lifecycle is called while somebody waits for it; the others are short. */
export const PHASE_TEXT: Readonly<Record<string, string>> = {
  SEAL: "sealing the source and the machine",
  BOOT: "starting the machine",
  DRIVE: "running the command",
  COLLECT: "collecting",
  DESTROY: "removing the machine",
};
