import type { Fields } from "./fields.js";
import type { Secret } from "./secret.js";

export type Placement =
  | { readonly kind: "placed"; readonly fields: Fields; readonly used: readonly string[] }
  | { readonly kind: "refused"; readonly secret: string };

/**
 * Puts values in the place of placeholders, in the fields that each secret names and nowhere else.
 * Guard: `here` are the secrets of the one authority that the request goes to, `elsewhere` all
 * others of the run. A placeholder of those, or one outside of its fields, refuses the request.
 */
export const placeSecrets = (
  target: string,
  fields: Fields,
  here: readonly Secret[],
  elsewhere: readonly Secret[],
): Placement => {
  const used = new Set<string>();
  for (const secret of [...here, ...elsewhere]) {
    if (holds(target, secret)) return { kind: "refused", secret: secret.name };
  }
  const placed: [string, string][] = [];
  for (const [name, value] of fields) {
    let text = value;
    for (const secret of elsewhere) {
      if (holds(text, secret) || holds(basicText(text) ?? "", secret)) {
        return { kind: "refused", secret: secret.name };
      }
    }
    for (const secret of here) {
      const replaced = secret.headers.includes(name) ? replace(text, secret) : text;
      if (replaced !== text) used.add(secret.name);
      else if (holds(text, secret)) return { kind: "refused", secret: secret.name };
      text = replaced;
    }
    placed.push([name, text]);
  }
  return { kind: "placed", fields: placed, used: [...used] };
};

/** Whatever the case, since some client may change it. */
const holds = (text: string, { placeholder }: Secret): boolean =>
  text.toLowerCase().includes(placeholder.toLowerCase());

const replace = (value: string, secret: Secret): string => {
  const pair = basicText(value);
  if (pair === null) return value.replaceAll(secret.placeholder, () => secret.reveal());
  if (!pair.includes(secret.placeholder)) return value;
  const filled = pair.replaceAll(secret.placeholder, () => secret.reveal());
  return `Basic ${Buffer.from(filled, "latin1").toString("base64")}`;
};

/** `Basic` and base64 of `user:password` (RFC 7617): git, npm and pip send tokens that way. */
const basicText = (value: string): string | null => {
  const match = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(value);
  return match?.[1] === undefined ? null : Buffer.from(match[1], "base64").toString("latin1");
};
