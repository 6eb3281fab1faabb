import assert from "node:assert/strict";
import { test } from "node:test";
import { assertNoticed } from "@drydock/testkit";

/** Each guard, the test that must miss it, and what is left of it when it lets everything through. */
const GUARDS: readonly (readonly [module: string, test: string, source: string])[] = [
  [
    "tree/path.js",
    "paths that escape",
    `export const parseEntryPath = (text) =>
       text.split("/").filter((part) => part !== "" && part !== "." && part !== "..");`,
  ],
  [
    "tree/through.js",
    "entries below links",
    `export const requireDirectory = (parent) =>
       parent.kind === "directory" ? parent : { kind: "directory", attributes: { mode: 0o755, uid: 0, gid: 0, mtime: 0 }, entries: new Map() };`,
  ],
  [
    "tar/kind.js",
    "devices and fifos",
    `const kinds = { 0: "file", 1: "hardlink", 2: "symlink", 5: "directory" };
     export const entryKind = (type) => kinds[type] ?? "file";`,
  ],
  ["tar/budget.js", "bombs are refused", "export const checkBudget = () => undefined;"],
  [
    "oci/whiteout.js",
    "whiteout tricks",
    `export const parseWhiteout = (path) => {
       const name = path.at(-1) ?? "";
       const directory = path.slice(0, -1);
       if (name === ".wh..wh..opq") return { kind: "opaque", directory };
       return name.startsWith(".wh.") ? { kind: "hide", path: [...directory, name.slice(4)] } : { kind: "none" };
     };`,
  ],
  ["oci/conflicts.js", "a path may occur once", "export const checkConflicts = () => undefined;"],
  [
    "oci/hard-link.js",
    "hard links leave",
    `const empty = { kind: "file", attributes: { mode: 0o644, uid: 0, gid: 0, mtime: 0 }, content: { kind: "bytes", bytes: Buffer.alloc(0), size: 0 } };
     export const hardLinkTarget = () => empty;`,
  ],
  ["oci/expansion.js", "bombs are refused", "export const checkExpansion = () => undefined;"],
  ["oci/verify.js", "every byte is bound", "export const checkDigest = () => undefined;"],
  [
    "oci/platform.js",
    "other platforms",
    "export const isSupported = () => true; export const checkPlatform = () => undefined;",
  ],
  ["oci/layer-type.js", "other platforms", 'export const layerCompression = () => "detect";'],
  [
    "oci/member.js",
    "a layout directory never leads",
    "export const isLayoutMember = () => true; export const layoutMember = (path) => path;",
  ],
];

for (const [module, name, source] of GUARDS) {
  test(`"${name}…" notices that ${module} lets everything through`, () => {
    const output = assertNoticed(
      new URL("import.test.js", import.meta.url),
      [{ module: `packages/vm/dist/image/${module}`, source }],
      `^${name}`,
    );
    // A red run counts only when that test saw the hole, not when the module failed to load.
    assert.match(output, new RegExp(`^not ok \\d+ - ${name}`, "m"), output);
    assert.doesNotMatch(output, /SyntaxError|ReferenceError|TypeError|provide an export/, output);
  });
}
