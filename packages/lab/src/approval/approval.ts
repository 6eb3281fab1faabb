import {
  type Digest,
  DrydockError,
  JsonError,
  parseJson,
  ShapeError,
  shape,
} from "@drydock/evidence";

export const APPROVAL_SCHEMA = "drydock.lab-approval/v1";

/** A person's leave for one rehearsal on one appliance that isn't the stand-in. Drydock writes none. */
export interface Approval {
  readonly class: "HUMAN_APPROVED";
  readonly approver: string;
  /** As the refusal of a rehearsal without one prints it. */
  readonly command: string;
  readonly adapter: Digest;
  readonly target: Digest;
  /** Milliseconds since 1970. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly nonce: string;
}

const seconds = shape.pattern(
  /^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$/,
  "an instant (YYYY-MM-DDTHH:MM:SSZ)",
);

const approvalReader = shape.object({
  schema: shape.literal(APPROVAL_SCHEMA),
  class: shape.literal("HUMAN_APPROVED"),
  approver: shape.id,
  command: shape.text(1024, 1),
  adapter: shape.digest,
  target: shape.digest,
  issued_at: seconds,
  expires_at: seconds,
  nonce: shape.id,
});

/** What `drydock sign FILE --namespace approval` prints. */
const signatureReader = shape.object({
  namespace: shape.literal("approval"),
  keyId: shape.digest,
  digest: shape.digest,
  value: shape.base64,
});
export type ApprovalSignature = shape.Shape<typeof signatureReader>;

/** @throws DrydockError LAB_APPROVAL_INVALID; it says where, and repeats nothing of the file */
export const parseApproval = (bytes: Uint8Array): Approval =>
  reading("the approval", () => {
    const {
      issued_at,
      expires_at,
      schema: _,
      ...rest
    } = approvalReader.read(parseJson(bytes), "$");
    return {
      ...rest,
      issuedAt: timeOf(issued_at, "$.issued_at"),
      expiresAt: timeOf(expires_at, "$.expires_at"),
    };
  });

/** @throws DrydockError LAB_APPROVAL_INVALID */
export const parseApprovalSignature = (bytes: Uint8Array): ApprovalSignature =>
  reading("the approval's signature", () => signatureReader.read(parseJson(bytes), "$"));

const reading = <T>(what: string, read: () => T): T => {
  try {
    return read();
  } catch (error) {
    if (error instanceof ShapeError) throw invalid(what, `${error.path} (${error.code})`);
    if (error instanceof JsonError) throw invalid(what, `byte ${error.offset} (${error.code})`);
    throw error;
  }
};

/** The calendar has the last word: the thirtieth of February has the form of a date. */
const timeOf = (text: string, path: string): number => {
  const time = Date.parse(text);
  if (Number.isNaN(time) || new Date(time).toISOString() !== text.replace("Z", ".000Z"))
    throw new ShapeError("SHAPE_PATTERN", path, "no such instant");
  return time;
};

const invalid = (what: string, where: string): DrydockError =>
  new DrydockError("LAB_APPROVAL_INVALID", `${what} is refused at ${where}`, {
    fix: "A person writes and signs it anew, with exactly the keys of docs/acceptance.md.",
  });
