import { DrydockError } from "@drydock/evidence";

/** For what an earlier call on the line has to have made. */
export const need = <T>(value: T | null, before: string): T => {
  if (value === null) throw new DrydockError("INTERNAL", `${before} comes first`);
  return value;
};
