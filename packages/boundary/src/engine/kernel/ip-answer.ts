import { DrydockError } from "@drydock/evidence";
import type * as z from "zod/mini";
import type { BoundaryCode } from "../../codes.js";

/**
 * What `ip -json` says, of which whoever ran it bounded the size. Where there is nothing to list,
 * some versions print nothing.
 *
 * @throws DrydockError IP_ANSWER
 */
export const parseIpAnswer = <T>(text: string, shape: z.ZodMiniType<T>): T => {
  let said: unknown;
  try {
    said = JSON.parse(text === "" ? "[]" : text);
  } catch (cause) {
    throw unreadable("no JSON", cause);
  }
  const read = shape.safeParse(said);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw unreadable(`${issue?.path.join(".")}: ${issue?.message}`);
};

const unreadable = (why: string, cause?: unknown): DrydockError<BoundaryCode> =>
  new DrydockError<BoundaryCode>("IP_ANSWER", `what ip lists can't be read: ${why}`, {
    fix: "Use iproute2 from 5.10 on, such as Debian's.",
    cause,
  });
