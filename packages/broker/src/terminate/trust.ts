/**
 * Tells programs in the guest where the certificates are that they may trust.
 *
 * All but Node's variable *replace* the program's own store: OpenSSL's (SSL_CERT_FILE, which
 * Python's ssl and Ruby read as well), curl's, git's, npm's and python-requests'. So the file at
 * `path` has to be a bundle of the run's CA and the image's own roots, which only the guest can
 * read: then an authority without termination verifies as before. NODE_EXTRA_CA_CERTS adds to
 * Node's built-in roots, where the rest of the bundle is harmless.
 */
export const trustEnvironment = (path: string): Readonly<Record<string, string>> => ({
  CURL_CA_BUNDLE: path,
  GIT_SSL_CAINFO: path,
  NODE_EXTRA_CA_CERTS: path,
  REQUESTS_CA_BUNDLE: path,
  SSL_CERT_FILE: path,
  npm_config_cafile: path,
});

/** Where Debian, and most images derived from it, keep their roots. */
export const IMAGE_ROOTS = "/etc/ssl/certs/ca-certificates.crt";
