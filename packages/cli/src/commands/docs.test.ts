import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { haltOn } from "@drydock/ledger";
import { testHome } from "../testing/home.js";
import { inTree } from "../testing/repository.js";

/** Rows of the table between the marks: a command line, its exit status, and what it prints. */
const rows = (): readonly { call: readonly string[]; status: number; object: unknown }[] => {
  const page = readFileSync(inTree("docs/command-line.md"), "utf8");
  const [, table = ""] = /<!-- json -->\n([\s\S]*)\n<!-- \/json -->/.exec(page) ?? [];
  return table
    .split("\n")
    .slice(2)
    .map((line) => {
      const [, call, status, object] =
        /^\|[^|]*\| `(.*)` \| (\d+) \| `(\{.*\})` \|$/.exec(line) ?? [];
      assert.ok(call !== undefined && object !== undefined, `not a row: ${line}`);
      return { call: call.split(" "), status: Number(status), object: JSON.parse(object) };
    });
};

test("what docs/command-line.md says that --json prints is what it prints", async (t) => {
  const home = testHome(t);
  const documented = rows();
  assert.ok(documented.length >= 7);
  const halted = ({ object }: { object: unknown }): boolean =>
    JSON.stringify(object).includes("HALTED");
  const compare = async (list: typeof documented): Promise<void> => {
    for (const { call, status, object } of list) {
      const { code, stdout } = await home.run(call);
      assert.equal(code, status, call.join(" "));
      const { durationMs, ...printed } = JSON.parse(
        stdout.replaceAll(home.directory, "DRYDOCK_HOME"),
      );
      const shown = durationMs === undefined ? printed : { ...printed, durationMs: 0 };
      assert.deepEqual(shown, object, call.join(" "));
      assert.equal(stdout.trimEnd().split("\n").length, 1, "one object on one line");
    }
  };
  await compare(documented.filter((row) => !halted(row)));
  mkdirSync(home.directory, { recursive: true });
  haltOn(
    { scope: "home", path: join(home.directory, "halt") },
    "smoke",
    "2026-11-30T00:00:00.000Z",
  );
  await compare(documented.filter(halted));
});

test("what succeeds prints one object on one line under --json, too", async (t) => {
  const home = testHome(t);
  const written = join(home.temporary, "plan.txt");
  writeFileSync(written, "a plan");
  const members: Readonly<Record<string, readonly string[]>> = {
    "keys init": ["keyId", "trust"],
    "keys list": ["keys"],
    "keys export": ["keys", "schema"],
    "keys export --pem": ["keyId", "pem"],
    "keys rotate": ["keyId"],
    [`sign ${written} --namespace plan`]: ["digest", "keyId", "namespace", "value"],
    "image list": ["images"],
    "trials list": ["boundaries", "rehearsals", "runs"],
    "trials gc": ["abandoned", "deleted", "leftovers", "marked", "swept"],
    "halt on --reason smoke": ["generation", "notStopped", "record", "stopped"],
    "halt status": ["generation", "halted", "places"],
    "halt off --reason smoke": ["generation", "halted"],
    doctor: ["checks"],
  };
  for (const [call, names] of Object.entries(members)) {
    const { stdout, stderr } = await home.run([...call.split(" "), "--json"]);
    assert.equal(stdout.split("\n").length, 2, `${call}: ${stdout}${stderr}`);
    assert.deepEqual(Object.keys(JSON.parse(stdout)).sort(), names, call);
  }
});
