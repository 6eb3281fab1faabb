import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "@drydock/testkit";

/** A server's certificate for one name, which signs itself. */
export interface SelfSigned {
  readonly key: Buffer;
  readonly cert: Buffer;
  /** The certificate's file. */
  readonly path: string;
}

export const selfSigned = (test: { after(fn: () => unknown): void }, name: string): SelfSigned => {
  const directory = temporaryDirectory(test);
  const [key, path] = [join(directory, "key.pem"), join(directory, "cert.pem")];
  execFileSync(
    "openssl",
    [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
      ...["-keyout", key, "-out", path, "-days", "2", "-subj", `/CN=${name}`],
      ...["-addext", `subjectAltName=DNS:${name}`],
    ],
    { stdio: "ignore" },
  );
  return { key: readFileSync(key), cert: readFileSync(path), path };
};
