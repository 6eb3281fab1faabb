/** An answer other than success, as the package throws one from wherever it notices. */
export class ApiRefusal extends Error {
  override readonly name = "ApiRefusal";
  readonly status: number;
  /** Upper case and underscores; what a client may decide by. */
  readonly responseId: string;
  /** Header fields that go with it. */
  readonly fields: Readonly<Record<string, string>>;

  constructor(
    status: number,
    responseId: string,
    message: string,
    fields: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.status = status;
    this.responseId = responseId;
    this.fields = fields;
  }
}

export const refuse = (
  status: number,
  responseId: string,
  message: string,
  fields: Readonly<Record<string, string>> = {},
): never => {
  throw new ApiRefusal(status, responseId, message, fields);
};

/** Most refusals are of a value. */
export const refuseValue = (responseId: string, message: string): never =>
  refuse(400, responseId, message);
