import { type Digest, digestOfHex } from "../../store/index.js";
import { imageError, quote } from "../errors.js";

/** A Debian package in one exact version, as apt's signed index describes it. */
export interface DebRef {
  readonly name: string;
  readonly version: string;
  readonly architecture: "amd64" | "all";
  readonly digest: Digest;
  /** Bytes of the .deb file. */
  readonly size: number;
}

/** Debian policy 5.6.1 and 5.6.12. */
const PACKAGE_NAME = /^[a-z0-9][a-z0-9+.-]{1,127}$/;
const VERSION = /^[A-Za-z0-9.+~:-]{1,127}$/;

export const parsePackageName = (text: string): string => {
  if (PACKAGE_NAME.test(text)) return text;
  throw imageError("IMAGE_PACKAGE", `${quote(text)} is not a Debian package name`, {
    fix: "Give a plain name such as `ripgrep`, without version or architecture.",
  });
};

export type Stanza = ReadonlyMap<string, string>;

/** Stanzas of deb822 text as `apt-cache show` prints it; continuation lines are not needed here. */
export const parseStanzas = (text: string): readonly Stanza[] =>
  text
    .split(/\n\n+/)
    .map(
      (block) =>
        new Map(
          block
            .split("\n")
            .map((line) => /^([A-Za-z0-9-]+): ?(.*)$/.exec(line))
            .flatMap((match) =>
              match === null ? [] : [[match[1] ?? "", match[2] ?? ""] as const],
            ),
        ),
    )
    .filter((stanza) => stanza.has("Package"));

export const parseDebRef = (stanza: Stanza): DebRef => {
  const read = (key: string, pattern: RegExp): string => {
    const value = stanza.get(key) ?? "";
    if (pattern.test(value)) return value;
    throw imageError(
      "IMAGE_PACKAGE",
      `apt describes ${quote(stanza.get("Package") ?? "?")} with the ${key} ${quote(value)}`,
      { fix: "Run `apt-get update`." },
    );
  };
  return {
    name: read("Package", PACKAGE_NAME),
    version: read("Version", VERSION),
    architecture: read("Architecture", /^(amd64|all)$/) === "all" ? "all" : "amd64",
    digest: digestOfHex(read("SHA256", /^[0-9a-f]{64}$/)),
    size: Number(read("Size", /^[1-9][0-9]{0,11}$/)),
  };
};

/** The package and version in a dependency such as `linux-image-6.1.0-9-cloud-amd64 (= 6.1.27-1)`. */
export const parseExactDependency = (
  depends: string,
  prefix: string,
): { readonly name: string; readonly version: string } => {
  for (const part of depends.split(",")) {
    const [, name, version] = /^\s*([a-z0-9+.-]+) \(= ([^)]+)\)\s*$/.exec(part) ?? [];
    if (name?.startsWith(prefix) === true && version !== undefined && VERSION.test(version)) {
      return { name, version };
    }
  }
  throw imageError(
    "IMAGE_PACKAGE",
    `no exact ${prefix}… among the dependencies ${quote(depends)}`,
    {
      fix: "Run `apt-get update`; the lab's kernel needs Debian's main archive for amd64.",
    },
  );
};

/** One line of `apt-get --print-uris`: the file's name is NAME_VERSION_ARCHITECTURE.deb. */
export const parseUriLine = (
  line: string,
): { readonly name: string; readonly version: string } | undefined => {
  const [, name, version] =
    /^'[^']*' ([a-z0-9+.-]+)_([^_ ]+)_[a-z0-9]+\.deb [0-9]+ /.exec(`${line} `) ?? [];
  return name === undefined || version === undefined
    ? undefined
    : { name, version: decodeURIComponent(version) };
};
