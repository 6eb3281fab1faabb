/** An answer of the API that isn't the one asked for; the texts are Toxiproxy's where it has one. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export const badBody = (why: string): ApiError => new ApiError(400, `bad request body: ${why}`);
export const missingField = (field: string): ApiError =>
  new ApiError(400, `missing required field: ${field}`);
export const proxyNotFound = (): ApiError => new ApiError(404, "proxy not found");
export const proxyExists = (): ApiError => new ApiError(409, "proxy already exists");
export const invalidStream = (): ApiError =>
  new ApiError(400, "stream was invalid, can be either upstream or downstream");
export const invalidToxicType = (): ApiError => new ApiError(400, "invalid toxic type");
export const toxicExists = (): ApiError => new ApiError(409, "toxic already exists");
export const toxicNotFound = (): ApiError => new ApiError(404, "toxic not found");
export const tooMany = (what: string): ApiError => new ApiError(429, `too many ${what}`);
export const notLoopback = (what: string, flag: string): ApiError =>
  new ApiError(403, `${what} is beyond loopback, which has to be asked for with ${flag}`);
