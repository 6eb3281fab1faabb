import { DrydockError } from "@drydock/evidence";
import type { Authority } from "../authority/authority.js";
import { parseAuthority } from "../authority/parse.js";

/** `--secret NAME=FILE@host:port`, read. Whoever reads the file needs no more than this. */
export interface SecretFlag {
  readonly name: string;
  /** Path as the user wrote it. The value itself is never an argument nor a variable. */
  readonly file: string;
  readonly authority: Authority;
}

/** POSIX names of variables, in the case that exported ones have. */
const NAME = /^[A-Z_][A-Z0-9_]{0,63}$/;

/** Variables that decide what the guest executes or trusts aren't named like a secret by honest mistake. */
const RESERVED = /^(?:PATH|HOME|SHELL|USER|IFS|LD_.*|NODE_.*|.*_PROXY|SSL_CERT_FILE|DRYDOCK_.*)$/;

/**
 * @throws DrydockError SECRET_FLAG, SECRET_NAME, or SECRET_AUTHORITY.
 */
export const parseSecretFlag = (text: string): SecretFlag => {
  const equals = text.indexOf("=");
  // A path may hold "@"; an authority can't.
  const at = text.lastIndexOf("@");
  if (equals < 1 || at <= equals + 1) {
    throw new DrydockError("SECRET_FLAG", "--secret isn't NAME=FILE@host:port", {
      fix: "Write for example --secret API_KEY=./key.txt@api.example.com:443.",
    });
  }
  const name = text.slice(0, equals);
  if (!NAME.test(name) || RESERVED.test(name)) {
    throw new DrydockError("SECRET_NAME", `--secret ${JSON.stringify(name)}: not a usable name`, {
      fix: "Use upper-case letters, digits and _, and no name that decides how programs run.",
    });
  }
  const parsed = parseAuthority(text.slice(at + 1));
  switch (parsed.kind) {
    case "authority":
      return { name, file: text.slice(equals + 1, at), authority: parsed.authority };
    case "refused":
      throw new DrydockError("SECRET_AUTHORITY", `--secret ${name}: ${parsed.reason}`, {
        fix: "Name one exact authority after the last @, as host:port.",
      });
  }
};

/** @throws DrydockError SECRET_NAME when two flags give one variable. */
export const parseSecretFlags = (texts: readonly string[]): readonly SecretFlag[] => {
  const flags = texts.map(parseSecretFlag);
  const names = new Set<string>();
  for (const { name } of flags) {
    if (names.has(name)) {
      throw new DrydockError("SECRET_NAME", `--secret ${name} is given more than once`, {
        fix: "Give each secret a variable of its own.",
      });
    }
    names.add(name);
  }
  return flags;
};
