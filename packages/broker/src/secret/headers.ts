/**
 * Fields that carry credentials to services in use: RFC 9110 §11.6.2, and what API keys commonly
 * travel in. A placeholder in any other field refuses the request.
 */
export const DEFAULT_SECRET_HEADERS: readonly string[] = [
  "authorization",
  "x-api-key",
  "api-key",
  "x-goog-api-key",
  "x-auth-token",
  "private-token",
];
