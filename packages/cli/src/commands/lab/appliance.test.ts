import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { type Started, testHome } from "../../testing/home.js";
import { inTree } from "../../testing/repository.js";

interface Ready {
  readonly standIn: boolean;
  readonly url: string;
  readonly namespace: string;
  readonly pid: number;
  readonly ca: string;
  readonly adminPassword: string;
  readonly labKey: string;
}

const run = promisify(execFile);

const start = async (t: TestContext, args: readonly string[] = []) => {
  const home = testHome(t);
  const started = home.start(["lab", "appliance", "--json", "--control", ...args]);
  const ready = JSON.parse(await firstLine(started)) as Ready;
  return { home, started, ready };
};

const firstLine = async ({ child }: Started): Promise<string> => {
  let text = "";
  for await (const chunk of child.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    text += chunk;
    if (text.includes("\n")) break;
  }
  return text.split("\n")[0] ?? "";
};

const aliases = async ({ namespace, ca, labKey, url }: Ready): Promise<string> => {
  const { stdout } = await run("sh", [
    "-ec",
    `nsenter --net=${namespace} curl -sS --cacert ${ca} -H "X-API-Key: $(cat ${labKey})" ${url}/api/v2/firewall/aliases`,
  ]);
  return stdout;
};

const isGone = async (pid: number): Promise<void> => {
  while (existsSync(`/proc/${pid}`)) await new Promise((resolve) => setTimeout(resolve, 20));
};

const areGone = async (directory: string): Promise<void> => {
  while (readdirSync(directory).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
};

describe("drydock lab appliance", () => {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    test(`serves in its own namespace, and after ${signal} nothing of it is left`, async (t) => {
      const { home, started, ready } = await start(t, [
        ...["--candidate", "LAB_EXAMPLE", "--besides", "192.0.2.20"],
      ]);
      const addresses = await run("nsenter", [
        `--net=${ready.namespace}`,
        "ip",
        "-4",
        "-brief",
        "address",
      ]);
      assert.match(addresses.stdout, /^drydock-lab0 .* 192\.0\.2\.10\/24 192\.0\.2\.20\/24/m);
      assert.equal(ready.standIn, true);
      assert.match(await aliases(ready), /"name":"LAB_EXAMPLE"/);
      const files = dirname(ready.ca);
      assert.equal(dirname(files), home.temporary);
      for (const file of [files, ready.ca, ready.adminPassword, ready.labKey]) {
        assert.equal(statSync(file).mode & 0o077, 0, file);
      }
      const own = await run("readlink", ["/proc/self/ns/net"]);
      const its = await run("readlink", [ready.namespace]);
      assert.notEqual(its.stdout, own.stdout);
      started.child.kill(signal);
      const ended = await started.ended;
      assert.equal(ended.code, signal === "SIGTERM" ? 0 : null, ended.stderr);
      await isGone(ready.pid);
      await areGone(home.temporary);
    });
  }

  test("ends with its input, and over the same files begins where it ended", async (t) => {
    const home = testHome(t);
    const files = join(home.temporary, "files");
    const first = home.start(["lab", "appliance", "--json", "--control", "--files", files]);
    const ready = JSON.parse(await firstLine(first)) as Ready;
    assert.doesNotMatch(await aliases(ready), /LAB_LATER/);
    const data = { name: "LAB_LATER", type: "host" };
    const command = { id: 1, do: "console", method: "POST", path: "/api/v2/firewall/alias", data };
    first.child.stdin?.end(`${JSON.stringify(command)}\n`);
    const ended = await first.ended;
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(ended.stdout, /"id":1,"ok":\{"status":200/);
    const second = home.start(["lab", "appliance", "--json", "--control", "--files", files]);
    const again = JSON.parse(await firstLine(second)) as Ready;
    assert.match(await aliases(again), /LAB_LATER/);
    second.child.kill("SIGTERM");
    await second.ended;
  });

  test("refuses every place that could be taken for another, and files that others reach", async (t) => {
    const home = testHome(t);
    const open = join(home.temporary, "open");
    mkdirSync(open);
    const refusals: readonly (readonly [readonly string[], RegExp])[] = [
      [["--address", "127.0.0.1"], /no address for a stand-in/],
      [["--besides", "127.0.0.2"], /no address for a stand-in/],
      [["--candidate", "WAN_HOSTS"], /no name of a candidate/],
      [["--files", open], /yours alone/],
      [["--files", inTree("packages")], /in a repository/],
    ];
    for (const [args, expected] of refusals) {
      const { code, stderr } = await home.run(["lab", "appliance", ...args]);
      assert.match(stderr, expected, args.join(" "));
      assert.equal(code, 2, args.join(" "));
    }
    assert.deepEqual(readdirSync(home.temporary), ["open"]);
  });
});
