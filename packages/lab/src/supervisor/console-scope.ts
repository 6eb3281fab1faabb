import { DrydockError, quote } from "@drydock/evidence";

const TARGETS: readonly string[] = ["/api/v2/firewall/alias", "/api/v2/firewall/aliases"];

/**
 * Guard: scenarios edit the target at the console as somebody else would. There a harness could also
 * give its own key what it isn't to have, or take a permission back that was taken away.
 *
 * @throws DrydockError LAB_CONSOLE
 */
export const requireTargetsPath = (path: string): void => {
  if (TARGETS.includes(path)) return;
  throw new DrydockError("LAB_CONSOLE", `${quote(path)} is nothing that a scenario edits`, {
    fix: `Edit ${TARGETS.join(" or ")}.`,
  });
};
