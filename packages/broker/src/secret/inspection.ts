import { type Authority, formatAuthority } from "../authority/authority.js";
import { type Canary, type CompiledCanaries, compileCanaries } from "../canary/index.js";
import type { Secret } from "./secret.js";

/** What is placed, and what is searched for, on the way to and from one authority. */
export interface Inspection {
  readonly here: readonly Secret[];
  readonly elsewhere: readonly Secret[];
  /** Towards the authority: canaries, and placeholders of secrets that are for others. */
  readonly outbound: CompiledCanaries;
  /** From the authority: canaries, and the values of the secrets that it gets. */
  readonly inbound: CompiledCanaries;
}

/** Ids of secrets among the canaries' have this prefix, which no canary's id may have. */
const SECRET = "secret.";

export const secretOfSighting = (id: string): string | null =>
  id.startsWith(SECRET) ? id.slice(SECRET.length) : null;

/** Compiles each authority's inspection once for the run, when it is first asked for. */
export const createInspections = (
  secrets: readonly Secret[],
  canaries: readonly Canary[],
): ((authority: Authority) => Inspection) => {
  const made = new Map<string, Inspection>();
  return (authority) => {
    const key = formatAuthority(authority);
    const known = made.get(key);
    if (known !== undefined) return known;
    const inspection = inspect(key, secrets, canaries);
    made.set(key, inspection);
    return inspection;
  };
};

const inspect = (
  key: string,
  secrets: readonly Secret[],
  canaries: readonly Canary[],
): Inspection => {
  const here = secrets.filter(({ authority }) => formatAuthority(authority) === key);
  const elsewhere = secrets.filter((secret) => !here.includes(secret));
  return {
    here,
    elsewhere,
    outbound: compileCanaries([
      ...canaries,
      ...elsewhere.map(({ name, placeholder }) => ({ id: SECRET + name, value: placeholder })),
    ]),
    inbound: compileCanaries([
      ...canaries,
      ...here.map((secret) => ({ id: SECRET + secret.name, value: secret.reveal() })),
    ]),
  };
};
