import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { type TestHome, testHome } from "./testing/home.js";
import { whatIsLeft } from "./testing/left.js";
import { inTree, repositoryOf } from "./testing/repository.js";
import { suiteEndings } from "./testing/suite.js";

/** Each program of a page, with the text that it is said to print. */
const examplesOf = (page: string): readonly { readonly code: string; readonly prints: string }[] =>
  [...page.matchAll(/```js\n(.*?)```.*?```text\n(.*?)```/gs)].map(([, code = "", prints = ""]) => ({
    code,
    prints,
  }));

/** The binding as the workspace has compiled it: compiling it again would take minutes. */
const BINDING = "node_modules/better-sqlite3/build";

describe("the package, installed into an empty directory", () => {
  const endings = suiteEndings();
  let home: TestHome;
  let directory: string;

  before(async () => {
    home = testHome(endings);
    await home.buildBase();
    directory = mkdtempSync(join(tmpdir(), "drydock-install-"));
    endings.after(() => rmSync(directory, { recursive: true, force: true }));
    const npm = (cwd: string, ...args: string[]): string =>
      execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
    const packed = npm(inTree("packages/cli"), "pack", "--silent", "--pack-destination", directory);
    writeFileSync(join(directory, "package.json"), '{ "private": true }');
    const quiet = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
    npm(directory, "install", ...quiet, join(directory, packed.trim()));
    cpSync(inTree(BINDING), join(directory, BINDING), { recursive: true });
  });

  const execute = (command: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(command, args, {
      cwd: directory,
      env: home.env,
      encoding: "utf8",
      timeout: 180_000,
    });
    return { status, stdout, stderr };
  };

  test("depends on SQLite's binding and the engine's client alone", () => {
    const { dependencies } = JSON.parse(
      readFileSync(join(directory, "node_modules/drydock/package.json"), "utf8"),
    );
    assert.deepEqual(Object.keys(dependencies), ["better-sqlite3", "dockerode"]);
  });

  test("its command line says its help, runs a command in a machine, and verifies it", async () => {
    const help = execute("npx", "drydock", "--help");
    assert.equal(help.status, 0, help.stderr);
    assert.match(help.stdout, /Usage: drydock/);
    const ran = execute("npx", "drydock", "run", "--json", "--", "sh", "-c", "exit 7");
    assert.equal(ran.status, 7, ran.stderr);
    const { verdict, evidence } = JSON.parse(ran.stdout);
    assert.equal(verdict, "PASS");
    const verified = execute("npx", "drydock", "verify", "--json", evidence);
    assert.equal(verified.status, 0, verified.stdout);
    assert.deepEqual(await whatIsLeft(home), []);
  });

  test("its declarations need nothing but Node's", () => {
    const program = [
      'import { createLab, type Lab, type LabReport } from "drydock";',
      'const lab: Lab = await createLab({ limits: { memory: "1GiB" } });',
      'const code: 0 | number = (await lab.exec(["true"])).exit.kind === "code" ? 0 : 1;',
      "export const report: LabReport = await lab.close();",
      "export default code;",
    ];
    writeFileSync(join(directory, "check.mts"), program.join("\n"));
    const checked = execute(
      process.execPath,
      ...[inTree("node_modules/typescript/bin/tsc"), "--noEmit", "--strict", "check.mts"],
      ...["--module", "nodenext", "--target", "es2023", "--lib", "es2023,esnext.disposable"],
      ...["--typeRoots", inTree("node_modules/@types"), "--types", "node"],
    );
    assert.equal(checked.status, 0, checked.stdout);
  });

  test("a slip of the caller is refused with what to do, and costs nothing of the lab", async () => {
    const program = `
      import { createLab } from "drydock";
      const lab = await createLab();
      const slips = [
        () => lab.exec([]),
        () => lab.exec(["a\\0b"]),
        () => lab.exec(["true"], { cwd: "work" }),
        () => lab.exec(["true"], { env: { "A=B": "x" } }),
        () => lab.exec(["true"], { user: "nobody" }),
        () => lab.exec(["true"], { tty: { rows: 0, cols: 0 } }),
        () => lab.writeFile("work/x", "x"),
        () => lab.readFile("x"),
      ];
      for (const slip of slips)
        console.log(await slip().then(() => "done", (error) => error.code + typeof error.fix));
      console.log((await lab.exec(["echo", "alive"])).stdout, (await lab.close()).verdict);`;
    writeFileSync(join(directory, "slips.mjs"), program);
    const { status, stdout, stderr } = execute(process.execPath, "slips.mjs");
    assert.equal(status, 0, stderr);
    const codes = [...Array(5).fill("SPEC_INVALID"), "TERMINAL_SIZE", "GUEST_PATH", "GUEST_PATH"];
    assert.equal(stdout, `${codes.map((code) => `${code}string\n`).join("")}alive\n PASS\n`);
  });

  test("the examples of docs/sdk.md print what the page says", async () => {
    const examples = examplesOf(readFileSync(inTree("docs/sdk.md"), "utf8"));
    assert.ok(examples.length >= 4);
    // The first one seals the project that it stands in.
    cpSync(repositoryOf(inTree("scenarios/hello"), endings), directory, {
      recursive: true,
      filter: (path) => !path.endsWith("/package.json"),
    });
    cpSync(inTree("scenarios/hello/package.json"), join(directory, "package.json"));
    for (const [index, { code, prints }] of examples.entries()) {
      writeFileSync(join(directory, `example-${index}.mjs`), code);
      const { status, stdout, stderr } = execute(process.execPath, `example-${index}.mjs`);
      assert.equal(status, 0, `${code}\n${stderr}`);
      assert.equal(stdout, prints, code);
    }
    assert.deepEqual(await whatIsLeft(home), []);
  });
});
