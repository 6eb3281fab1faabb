import { LARGEST_OCTAL } from "./header.js";

/** For trees that have no commit: 2000-01-01, since zip archives cannot hold times before 1980. */
export const FIXED_TIME = 946_684_800;

/** The time that archive members carry: the commit's own, so that tools see something plausible. */
export const archiveTime = (commitTime: number): number =>
  Number.isSafeInteger(commitTime) && commitTime >= FIXED_TIME && commitTime <= LARGEST_OCTAL
    ? commitTime
    : FIXED_TIME;
