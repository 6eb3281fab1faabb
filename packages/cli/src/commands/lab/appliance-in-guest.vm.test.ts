import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { type TestHome, testHome } from "../../testing/home.js";
import { whatIsLeft } from "../../testing/left.js";
import { inTree, repositoryOf } from "../../testing/repository.js";
import { suiteEndings } from "../../testing/suite.js";

/** Somebody's client: asks, changes, and tries what it must not be able to do. */
const CLIENT = (mark: string): string => `
  import { execFileSync } from "node:child_process";
  import { lookup } from "node:dns/promises";
  import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
  import { networkInterfaces } from "node:os";
  const attempt = (what) => {
    try {
      what();
      return "done";
    } catch (error) {
      return error.code ?? "refused";
    }
  };
  attempt(() => writeFileSync(${JSON.stringify(mark)}, "here"));
  const {
    PFSENSE_LAB_API_URL: url,
    PFSENSE_LAB_IDENTITY: identity,
    PFSENSE_LAB_API_KEY_FILE: keyFile,
    PFSENSE_LAB_CANDIDATE: candidate,
    PFSENSE_LAB_ATTESTATION_FILE: attestation = null,
    SAID: said,
  } = process.env;
  const key = readFileSync(keyFile, "utf8").trim();
  const ask = async (method, path, headers, body) => {
    const answer = await fetch(url + "/api/v2" + path, {
      method,
      headers: { accept: "application/json", ...headers },
      body,
    });
    return { ...(await answer.json()), status: answer.status, server: answer.headers.get("server") };
  };
  const json = { "content-type": "application/json" };
  const withKey = { "x-api-key": key, ...json };
  const read = await ask("GET", "/firewall/aliases", { "x-api-key": key });
  const [alias] = read.data;
  const change = JSON.stringify({ id: alias.id, descr: "changed in a guest" });
  const changed = await ask("PATCH", "/firewall/alias", withKey, change);
  const stranger = await ask("PATCH", "/firewall/alias", json, change);
  const beyond = await ask("POST", "/firewall/alias", withKey, "{}");
  const { mode, uid } = statSync(keyFile);
  mkdirSync("out");
  writeFileSync("out/seen.json", JSON.stringify({
    user: process.getuid(),
    key: { mode: (mode & 0o777).toString(8), uid },
    url, identity, candidate, attestation, said,
    address: (await lookup(new URL(url).hostname)).address,
    server: read.server,
    aliases: read.data.map(({ name }) => name),
    statuses: [read.status, changed.status, stranger.status, beyond.status],
    descr: changed.data.descr,
    links: Object.keys(networkInterfaces()).sort(),
    state: attempt(() => readdirSync("/var/lib/drydock-lab/state")),
    another: attempt(() => writeFileSync("/var/lib/drydock-lab/ca.pem", "")),
    kill: attempt(() => process.kill(process.ppid, "SIGKILL")),
    link: attempt(() => execFileSync("ip", ["link", "set", "drydock-lab0", "down"], { stdio: "ignore" })) === "done",
  }));
  process.exit(3);
`;

/** A busy machine takes its time to start Node on an emulated processor. */
const withinMs = 420_000;

describe("drydock lab appliance --in-guest", () => {
  const endings = suiteEndings();
  let home: TestHome;

  before(async () => {
    home = testHome(endings);
    await home.buildBase();
    const built = await home.run(["image", "build", "base", "--name", "lab", "--modules", "lab"], {
      withinMs: 600_000,
    });
    assert.equal(built.code, 0, built.stderr);
  });

  test("a client that nobody trusts finds the stand-in beside it in a guest, and nothing of it runs here", async (t) => {
    const directory = mkdtempSync(join(tmpdir(), "drydock-client-"));
    endings.after(() => rmSync(directory, { recursive: true }));
    const mark = join(directory, "mark");
    writeFileSync(join(directory, "client.mjs"), CLIENT(mark));
    const args = [
      ...["lab", "appliance", "--in-guest", "--json", "--candidate", "LAB_EXAMPLE"],
      ...["--port", "8443", "--env", "SAID=yes", "--source", repositoryOf(directory, endings)],
      ...["--artifact", "out/**", "--", "node", "client.mjs"],
    ];
    const ran = await home.run(args, { withinMs });
    assert.equal(ran.code, 3, ran.stderr);
    const { verdict, exit, evidence } = JSON.parse(ran.stdout);
    assert.deepEqual({ verdict, exit }, { verdict: "PASS", exit: { code: 3 } });
    const { artifacts } = JSON.parse(
      readFileSync(join(evidence, "artifacts/artifacts.json"), "utf8"),
    );
    const { digest } = artifacts.find(({ path }: { path: string }) => path === "out/seen.json");
    const seen = readFileSync(join(evidence, "artifacts", digest.replace("sha256:", "")), "utf8");
    assert.deepEqual(JSON.parse(seen), {
      user: 1000,
      key: { mode: "600", uid: 1000 },
      url: "https://appliance.lab.invalid:8443",
      identity: "lab",
      candidate: "LAB_EXAMPLE",
      attestation: null,
      said: "yes",
      address: "192.0.2.10",
      server: "Drydock stand-in (not pfSense)",
      aliases: ["LAB_EXAMPLE"],
      // Reading and the one change that is rehearsed; nobody without the key, and nothing else.
      statuses: [200, 200, 401, 403],
      descr: "changed in a guest",
      links: ["drydock-lab0", "lo"],
      state: "EACCES",
      another: "EACCES",
      kill: "EPERM",
      link: false,
    });
    assert.equal(existsSync(mark), false);
    const verified = await home.run(["verify", evidence]);
    assert.equal(verified.code, 0, verified.stdout + verified.stderr);
    assert.deepEqual(await whatIsLeft(home), []);
    t.diagnostic(`${Math.round(ran.ms)} ms`);
  });

  test("without a command there is a shell on the terminal, whose status is handed on", async () => {
    const steps = [
      { wait: "$ " },
      { type: "echo at-$PFSENSE_LAB_API_URL; test -t 0 && id -u; trap 'echo in-$((2+2))' INT\n" },
      { wait: "at-https://appliance.lab.invalid" },
      { wait: "1000" },
      { type: "kill -INT $$\n" },
      { wait: "in-4" },
      { type: "exit 9\n" },
      { wait: "verdict" },
    ];
    const shown = await home.run(["lab", "appliance", "--in-guest"], {
      withinMs,
      wrapper: [
        ...["python3", inTree("packages/cli/src/testing/terminal.py")],
        ...[JSON.stringify(steps), "--"],
      ],
    });
    assert.equal(shown.code, 9, shown.stdout + shown.stderr);
    assert.match(shown.stdout, /verdict {2}PASS/);
    assert.deepEqual(await whatIsLeft(home), []);
  });

  const refusals: readonly (readonly [string, readonly string[], number, string])[] = [
    ["root", ["--in-guest", "--user", "root", "--", "id"], 125, "USAGE"],
    ["root's group", ["--in-guest", "--user", "1000:0", "--", "id"], 125, "USAGE"],
    [
      "another appliance",
      ["--in-guest", "--env", "PFSENSE_LAB_API_URL=https://x.lab.invalid", "--", "id"],
      ...([125, "USAGE"] as const),
    ],
    ["a place of its own", ["--in-guest", "--address", "10.0.0.1", "--", "id"], 125, "LAB_PLACE"],
    ["files out here", ["--in-guest", "--files", "/tmp/x", "--", "id"], 125, "USAGE"],
    ["commands out here", ["--in-guest", "--control", "--", "id"], 125, "USAGE"],
    ["no terminal for a shell", ["--in-guest"], 125, "NO_TERMINAL"],
    ["an image without its link", ["--in-guest", "--image", "base", "--", "id"], 125, "LAB_IMAGE"],
    ["no such image", ["--in-guest", "--image", "none", "--", "id"], 125, "IMAGE_UNKNOWN"],
    ["a way out", ["--in-guest", "--allow", "example.com:443", "--", "id"], 125, "USAGE"],
    ["a command here", ["--", "id"], 2, "USAGE"],
    ["a source here", ["--source", "."], 2, "USAGE"],
    ["a cold boot here", ["--no-snapshot"], 2, "USAGE"],
  ];
  for (const [what, args, status, code] of refusals)
    test(`is refused with ${what}`, async () => {
      const { code: ended, stdout } = await home.run(["lab", "appliance", "--json", ...args]);
      assert.equal(ended, status, stdout);
      assert.equal(JSON.parse(stdout).error.code, code);
    });
});
