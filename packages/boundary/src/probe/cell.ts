import { describePlace, type TruthCell } from "../meaning/index.js";

/** What a probe is called: whence, where to, and by what. */
export const identityOf = ({ source, destination, protocol, port }: TruthCell): string =>
  `${describePlace(source)} → ${describePlace(destination)} ${protocol}${port === null ? "" : `/${port}`}`;

/** Whom a probe says something about: who is reached, or isn't. */
export const authorityOf = ({ destination }: TruthCell) => destination.authority;
