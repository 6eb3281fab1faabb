import assert from "node:assert/strict";
import { test } from "node:test";
import {
  parseDebRef,
  parseExactDependency,
  parsePackageName,
  parseStanzas,
  parseUriLine,
} from "./control.js";

const STANZA = `Package: libc6
Version: 2.36-9+deb12u10
Architecture: amd64
Depends: libgcc-s1
Description: GNU C Library
 continuation: not a field
Size: 2757648
SHA256: ${"a".repeat(64)}
`;

test("a stanza of apt-cache becomes a package with its digest", () => {
  const [stanza, none] = parseStanzas(`${STANZA}\n\nN: a note\n`);
  assert.equal(none, undefined);
  assert.deepEqual(parseDebRef(stanza ?? new Map()), {
    name: "libc6",
    version: "2.36-9+deb12u10",
    architecture: "amd64",
    digest: `sha256:${"a".repeat(64)}`,
    size: 2_757_648,
  });
});

test("a stanza without a usable field is refused", () => {
  for (const [field, value] of [
    ["SHA256", "short"],
    ["Architecture", "arm64"],
    ["Version", "1; rm"],
    ["Size", "0"],
    ["Package", "-o"],
  ] as const) {
    const [stanza] = parseStanzas(STANZA);
    assert.throws(() => parseDebRef(new Map(stanza).set(field, value)), { code: "IMAGE_PACKAGE" });
  }
});

test("package names can't be options, versions or paths", () => {
  assert.equal(parsePackageName("libstdc++6"), "libstdc++6");
  for (const name of ["-y", "a", "a=1", "a/stable", "./a.deb", "a b", "A", "python3*", ""]) {
    assert.throws(() => parsePackageName(name), { code: "IMAGE_PACKAGE" }, name);
  }
});

test("the kernel's package is read from the exact dependency of the metapackage", () => {
  assert.deepEqual(
    parseExactDependency("foo, linux-image-6.1.0-9-cloud-amd64 (= 6.1.27-1)", "linux-image-"),
    { name: "linux-image-6.1.0-9-cloud-amd64", version: "6.1.27-1" },
  );
  for (const depends of ["", "linux-image-6.1 (>= 6.1)", "linux-image-6.1"]) {
    assert.throws(() => parseExactDependency(depends, "linux-image-"), { code: "IMAGE_PACKAGE" });
  }
});

test("lines of --print-uris give name and version, epochs included", () => {
  assert.deepEqual(
    parseUriLine("'http://x/zlib1g_1.2_amd64.deb' zlib1g_1%3a1.2.13_amd64.deb 86684 MD5Sum:00"),
    { name: "zlib1g", version: "1:1.2.13" },
  );
  assert.deepEqual(parseUriLine("'http://x/a_1_all.deb' aa_1~b_all.deb 8 "), {
    name: "aa",
    version: "1~b",
  });
  for (const line of ["Reading package lists...", "", "'x' ../a_1_amd64.deb 3 "]) {
    assert.equal(parseUriLine(line), undefined, line);
  }
});
