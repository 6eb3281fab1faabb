import { inspect } from "node:util";
import type { Authority } from "../authority/authority.js";

/**
 * A value that the guest may use at one authority and never sees. It knows a placeholder instead.
 * Neither JSON nor the inspector shows the value, so that no log line can by accident.
 */
export interface Secret {
  /** The guest's environment variable, which holds the placeholder. */
  readonly name: string;
  readonly authority: Authority;
  readonly placeholder: string;
  /** Fields in which the placeholder is replaced; lower case. */
  readonly headers: readonly string[];
  reveal(): string;
}

export interface SecretOptions {
  readonly name: string;
  readonly authority: Authority;
  readonly headers: readonly string[];
  readonly value: string;
  /** Gives that many random bytes. */
  readonly random: (length: number) => Uint8Array;
}

/** As many as a key of AES-128 has: nobody guesses the placeholder of another run. */
const PLACEHOLDER_BYTES = 16;

export const createSecret = ({
  name,
  authority,
  headers,
  value,
  random,
}: SecretOptions): Secret => {
  const unique = Buffer.from(random(PLACEHOLDER_BYTES)).toString("hex");
  const secret: Omit<Secret, "reveal"> = {
    name,
    authority,
    placeholder: `DRYDOCK_SECRET_${name}_${unique}`,
    headers,
  };
  return Object.defineProperties(secret, {
    reveal: { value: () => value, enumerable: false },
    [inspect.custom]: { value: () => `Secret(${name})`, enumerable: false },
  }) as Secret;
};

/** The guest's variables: each name with its placeholder. */
export const secretEnvironment = (secrets: readonly Secret[]): Readonly<Record<string, string>> =>
  Object.fromEntries(secrets.map(({ name, placeholder }) => [name, placeholder]));
