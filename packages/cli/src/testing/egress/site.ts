import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { join, normalize } from "node:path";

/** What clients ask for: a page, a git repository over the dumb protocol, a registry of one package. */
export interface Site {
  readonly page: RequestListener;
  /** Requests that arrived: host, path, and the names of fields. */
  readonly requests: readonly string[];
}

export const PACKAGE = "drydock-sample";
export const REGISTRY = "registry.example.com";

export const createSite = (directory: string): Site => {
  const files = join(directory, "files");
  mkdirSync(files);
  makeRepository(join(directory, "repository"), join(files, "sample.git"));
  const packument = makePackage(directory, files);
  const requests: string[] = [];
  return {
    requests,
    page: (request, reply) => {
      const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
      requests.push(`${request.headers.host} ${path} ${Object.keys(request.headers).join(",")}`);
      if (path === `/${PACKAGE}`) return void reply.end(packument);
      const file = join(files, normalize(path));
      if (isFile(file)) return void reply.end(readFileSync(file));
      reply.statusCode = path === "/" || path === "/here" ? 200 : 404;
      reply.end(reply.statusCode === 200 ? "hello from outside" : "nothing here");
    },
  };
};

const isFile = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

const makeRepository = (source: string, bare: string): void => {
  mkdirSync(source);
  writeFileSync(join(source, "README"), "cloned through the broker\n");
  const identity = ["-c", "user.name=lab", "-c", "user.email=lab@example.com"];
  const git = (...args: string[]): void => {
    execFileSync("git", args, { cwd: source, stdio: "ignore" });
  };
  git("init", "-q", "-b", "main");
  git("add", "README");
  git(...identity, "commit", "-q", "-m", "sample");
  git("clone", "-q", "--bare", source, bare);
  git("--git-dir", bare, "update-server-info");
};

const makePackage = (directory: string, files: string): string => {
  const source = join(directory, "package");
  mkdirSync(source);
  const manifest = { name: PACKAGE, version: "1.0.0", main: "index.js" };
  writeFileSync(join(source, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(source, "index.js"), 'module.exports = "installed through the broker";\n');
  const archive = join(files, `${PACKAGE}-1.0.0.tgz`);
  execFileSync("tar", ["-czf", archive, "-C", directory, "package"]);
  const digest = createHash("sha512").update(readFileSync(archive)).digest("base64");
  const dist = {
    tarball: `https://${REGISTRY}/${PACKAGE}-1.0.0.tgz`,
    integrity: `sha512-${digest}`,
  };
  return JSON.stringify({
    name: PACKAGE,
    "dist-tags": { latest: "1.0.0" },
    versions: { "1.0.0": { ...manifest, dist } },
  });
};
