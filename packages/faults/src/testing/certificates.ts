import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Issued {
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

/** An authority of its own in a directory, and a certificate of it for these names. */
export const issueCertificate = (directory: string, names: readonly string[]): Issued => {
  const at = (name: string): string => join(directory, name);
  const openssl = (...args: readonly string[]): void => {
    execFileSync("openssl", args, { stdio: "pipe", timeout: 20_000 });
  };
  const ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  openssl(
    ...["req", "-x509", ...ec, "-keyout", at("ca.key"), "-out", at("ca.pem")],
    ...["-subj", "/CN=Test authority", "-days", "2"],
  );
  openssl("req", ...ec, "-keyout", at("key.pem"), "-out", at("csr.pem"), "-subj", "/CN=server");
  writeFileSync(at("names"), `subjectAltName=${names.join(",")}\n`);
  openssl(
    ...["x509", "-req", "-in", at("csr.pem"), "-CA", at("ca.pem"), "-CAkey", at("ca.key")],
    ...["-CAcreateserial", "-days", "2", "-extfile", at("names"), "-out", at("cert.pem")],
  );
  const read = (name: string): string => readFileSync(at(name), "utf8");
  return { ca: read("ca.pem"), certificate: read("cert.pem"), key: read("key.pem") };
};
