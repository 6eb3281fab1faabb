import { isJsonObject, type JsonObject, type JsonValue } from "@drydock/evidence";

/** Rows that are asked for. A list that is as long may have been cut. */
export const ROW_LIMIT = 500;

export type RowsProblem = "REFUSED" | "MALFORMED" | "TRUNCATED";

/**
 * The rows of a list endpoint's answer, in the package's envelope.
 *
 * @returns why there are none, for an answer that isn't a whole list of objects
 */
export const rowsOf = ({
  status,
  body,
}: {
  readonly status: number;
  readonly body: unknown;
}): readonly JsonObject[] | RowsProblem => {
  if (status !== 200) return "REFUSED";
  if (!isObject(body) || body["code"] !== 200 || body["response_id"] !== "SUCCESS")
    return "MALFORMED";
  const data = body["data"];
  if (!Array.isArray(data) || !data.every((row) => isJsonObject(row as JsonValue)))
    return "MALFORMED";
  return data.length >= ROW_LIMIT ? "TRUNCATED" : (data as readonly JsonObject[]);
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
