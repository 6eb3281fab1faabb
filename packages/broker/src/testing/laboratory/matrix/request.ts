import { OPAQUE, WEB } from "../places.js";
import type { Technique } from "./model.js";

export type BrokerTechnique = Extract<Technique, "connect" | "absolute">;

export const PLACES = { connect: OPAQUE, absolute: WEB } as const;

/** The authority that each is granted. */
export const granted = (technique: BrokerTechnique): string =>
  `${PLACES[technique].host}:${PLACES[technique].port}`;

/** Asks for an authority, whatever its text is. Host says the same as the target. */
export const requestFor = (
  technique: BrokerTechnique,
  authority: string,
  fields: readonly string[] = [],
): string => {
  const line =
    technique === "connect"
      ? `CONNECT ${authority} HTTP/1.1`
      : `GET http://${authority}/here HTTP/1.1`;
  const host = /^[^/?#]*/.exec(authority)?.[0] ?? "";
  return `${[line, `Host: ${host}`, ...fields].join("\r\n")}\r\n\r\n`;
};
