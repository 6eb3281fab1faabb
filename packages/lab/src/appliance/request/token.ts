import { createHmac, timingSafeEqual } from "node:crypto";
import { isJsonObject, type JsonValue } from "@drydock/evidence";

/** RFC 7519, signed with HMAC-SHA-256 (RFC 7518 §3.2) and nothing else. */
const HEADER = Buffer.from('{"typ":"JWT","alg":"HS256"}').toString("base64url");

interface TokenOptions {
  readonly username: string;
  readonly seconds: number;
  readonly lifetime: number;
  /** Of the appliance. */
  readonly key: string;
}

export const issueToken = ({ username, seconds, lifetime, key }: TokenOptions): string => {
  const claims = {
    iss: "pfSense REST API stand-in",
    exp: seconds + lifetime,
    nbf: seconds,
    data: username,
  };
  const signed = `${HEADER}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}`;
  return `${signed}.${signature(signed, key).toString("base64url")}`;
};

/** The user of a token that is valid now; null for any other. */
export const userOfToken = (token: string, key: string, seconds: number): string | null => {
  const [header = "", claims = "", given = "", ...rest] = token.split(".");
  if (header !== HEADER || rest.length > 0) return null;
  const expected = signature(`${header}.${claims}`, key);
  const actual = Buffer.from(given, "base64url");
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return null;
  // Signed by this appliance: its own JSON.
  const body = JSON.parse(Buffer.from(claims, "base64url").toString("utf8")) as JsonValue;
  if (!isJsonObject(body)) return null;
  const { exp, nbf, data } = body;
  const now = Number(nbf) <= seconds && seconds < Number(exp);
  return now && typeof data === "string" ? data : null;
};

const signature = (text: string, key: string): Buffer =>
  createHmac("sha256", key).update(text).digest();
