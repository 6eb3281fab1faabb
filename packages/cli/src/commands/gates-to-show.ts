import type { VerifyReport } from "@drydock/evidence";

type Gates = NonNullable<VerifyReport["gates"]>;

/** All gates where they were asked for; otherwise those that failed, which is why a run is FAIL. */
export const gatesToShow = (gates: Gates, all: boolean): Gates =>
  all ? gates : gates.filter(({ result }) => result === "FAIL");
