/**
 * Tells programs in the guest where the certificates are that they may trust.
 *
 * All but Node's variable *replace* the program's own store: OpenSSL's (SSL_CERT_FILE, which
 * Python's ssl and Ruby read as well), curl's, git's, npm's and python-requests'. So the file at
 * `path` has to be a bundle, `trustBundle`, of the run's CA and the image's own roots: then an
 * authority without termination verifies as before. NODE_EXTRA_CA_CERTS adds to Node's built-in
 * roots, where the rest of the bundle is harmless.
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

/**
 * The bundle's text. The run's CA comes first, the image's roots follow as the guest read them;
 * null when the image has none, and then only terminated authorities verify.
 */
export const trustBundle = (caCertificatePem: string, imageRoots: string | null): string =>
  [caCertificatePem, ...(imageRoots === null ? [] : [imageRoots])]
    .map((text) => (text.endsWith("\n") ? text : `${text}\n`))
    .join("");
