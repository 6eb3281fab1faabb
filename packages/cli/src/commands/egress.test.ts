import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Ended, type Ending, testHome } from "../testing/home.js";

const documentation = readFileSync(new URL("../../../../docs/egress.md", import.meta.url), "utf8");

/** The policy that the page shows. */
const example = /```yaml\n(# policy\.yaml\n[^`]*)```/.exec(documentation)?.[1] ?? "";

const signedExample = /```yaml\n(# signed\.yaml\n[^`]*)```/.exec(documentation)?.[1] ?? "";

interface Step {
  readonly args: readonly string[];
  readonly into: string | null;
  readonly output: string;
}

/** Commands of the page's consoles, each with what it printed. */
const steps = (): readonly Step[] =>
  [...documentation.matchAll(/```console\n([^`]*)```/g)].flatMap(([, console = ""]) =>
    console
      .split(/^\$ /m)
      .filter(
        (part) =>
          part.startsWith("drydock egress check") || / > /.test(part.split("\n", 1)[0] ?? ""),
      )
      .map((part) => {
        const [line = "", ...output] = part.split("\n");
        const [command = "", into = null] = line.split(" > ");
        return { args: command.split(" ").slice(1), into, output: output.join("\n") };
      }),
  );

const workplace = (t: Ending) => {
  const home = testHome(t);
  const cwd = join(home.directory, "..", "work");
  mkdirSync(cwd);
  writeFileSync(join(cwd, "policy.yaml"), example);
  writeFileSync(join(cwd, "signed.yaml"), signedExample);
  const run = (...args: readonly string[]): Promise<Ended> => home.run(args, { cwd });
  return { cwd, run };
};

test("the page's examples print what the page says", async (t) => {
  const { cwd, run } = workplace(t);
  assert.equal((await run("keys", "init")).code, 0);
  const done = { granted: 0, refused: 0, written: 0 };
  for (const { args, into, output } of steps()) {
    const { code, stdout, stderr } = await run(...args);
    if (into !== null) {
      assert.equal(code, 0, stderr);
      writeFileSync(join(cwd, into), stdout);
      done.written += 1;
      continue;
    }
    assert.equal(stdout.replace(/sha256:[0-9a-f]{64}/g, "sha256:…"), output, args.join(" "));
    const granted = /^granted|"granted"/.test(stdout);
    assert.equal(code, granted ? 0 : 1);
    done[granted ? "granted" : "refused"] += 1;
  }
  assert.ok(done.granted >= 3 && done.refused >= 2 && done.written === 2, JSON.stringify(done));
});

test("a policy that isn't signed as it has to be exits with 3 and decides nothing", async (t) => {
  const { cwd, run } = workplace(t);
  await run("keys", "init");
  const write = (name: string, text: string) => writeFileSync(join(cwd, name), text);
  write("signer.pem", (await run("keys", "export", "--pem")).stdout);
  write("trust.json", (await run("keys", "export")).stdout);
  write("signed.yaml.sig", (await run("sign", "signed.yaml", "--namespace", "policy")).stdout);
  const check = (...flags: readonly string[]): Promise<Ended> =>
    run("egress", "check", "signed.yaml", "api.example.com:443", "--json", ...flags);

  const accepted = await check("--key", "signer.pem");
  assert.equal(accepted.code, 0, accepted.stderr);
  assert.match(JSON.parse(accepted.stdout).signer, /^sha256:/);

  // The signature is looked for beside the policy, and whoever has none is told how it is made.
  write("unsigned.yaml", signedExample);
  const unsigned = await run(
    ...["egress", "check", "unsigned.yaml", "api.example.com:443", "--json", "--key", "signer.pem"],
  );
  assert.equal(unsigned.code, 3);
  const { code, fix } = JSON.parse(unsigned.stdout).error;
  assert.equal(code, "POLICY_UNSIGNED");
  assert.match(fix, /drydock sign unsigned\.yaml --namespace policy > unsigned\.yaml\.sig/);

  // The controller's own key signs logs and verdicts; nobody let it decide where guests may go.
  const untrusted = await check("--trust", "trust.json");
  assert.equal(untrusted.code, 3);
  assert.equal(JSON.parse(untrusted.stdout).error.code, "POLICY_KEY_UNTRUSTED");

  write("signed.yaml", signedExample.replace("443", "444"));
  const changed = await check("--key", "signer.pem");
  assert.equal(changed.code, 3);
  assert.equal(JSON.parse(changed.stdout).error.code, "POLICY_DIGEST_DIFFERENT");
});

test("a wrong command line or policy exits with 2 and says where", async (t) => {
  const { cwd, run } = workplace(t);
  const check = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout } = await run("egress", "check", ...args, "--json");
    assert.equal(code, 2, stdout);
    return JSON.parse(stdout).error.code;
  };
  const asked = "api.example.com:443";
  assert.equal(await check("policy.yaml"), "USAGE");
  assert.equal(await check("policy.yaml", asked, "--form", "upgrade"), "USAGE");
  assert.equal(await check("policy.yaml", asked, "--signature", "policy.yaml"), "USAGE");
  assert.equal(await check("policy.yaml", asked, "--key", "a", "--trust", "b"), "USAGE");
  assert.equal(await check("nosuch.yaml", asked), "FILE_UNREADABLE");
  assert.equal(await check("policy.yaml", asked, "--key", "policy.yaml"), "KEY_FORMAT");
  writeFileSync(join(cwd, "policy.yaml"), example.replace("port: 443", "port: 443\n    prot: 1"));
  const wrong = await run("egress", "check", "policy.yaml", asked);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /policy\.yaml:6:5: unknown key "prot"/);
});

test("only what a broker would accept is signed as a policy", async (t) => {
  const { run } = workplace(t);
  await run("keys", "init");
  const signed = await run("sign", "policy.yaml", "--namespace", "policy");
  assert.equal(signed.code, 2);
  assert.match(signed.stderr, /limits/);
  assert.equal((await run("sign", "policy.yaml", "--namespace", "plan")).code, 0);
});

test("a form can be asked for, and is the policy's own when it isn't", async (t) => {
  const { run } = workplace(t);
  const check = async (...args: readonly string[]) => {
    const { stdout } = await run("egress", "check", "policy.yaml", ...args, "--json");
    const { decision, reason, line } = JSON.parse(stdout);
    return [decision, reason, line];
  };
  assert.deepEqual(await check("mirror.example.com:80"), ["granted", null, 8]);
  assert.deepEqual(await check("mirror.example.com:80", "--form", "connect"), [
    "refused",
    "PROTOCOL_NOT_GRANTED",
    8,
  ]);
  assert.deepEqual(await check("api.example.com:443", "--form", "absolute"), [
    "refused",
    "PROTOCOL_NOT_GRANTED",
    4,
  ]);
});
