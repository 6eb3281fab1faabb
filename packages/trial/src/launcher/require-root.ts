import { DrydockError } from "@drydock/evidence";

/** @throws DrydockError NOT_ROOT saying that `what` needs root. */
export const requireRoot = (what: string): void => {
  if (process.getuid?.() === 0) return;
  throw new DrydockError("NOT_ROOT", `${what} needs root`, {
    fix: "Run it with sudo. Running without root is not supported yet; see docs/threat-model.md.",
  });
};
