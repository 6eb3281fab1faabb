import { DrydockError } from "@drydock/evidence";

export const usage = (message: string, fix: string): DrydockError =>
  new DrydockError("USAGE", message, { fix });
