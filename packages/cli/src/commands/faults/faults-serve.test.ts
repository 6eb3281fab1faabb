import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { readyLine } from "../../testing/egress-serve.js";
import { testHome } from "../../testing/home.js";

const serve = (t: TestContext, ...flags: readonly string[]) => {
  const home = testHome(t);
  const args = ["faults", "serve", "--listen", "127.0.0.1:0", "--json", ...flags];
  return { home, started: home.start(args) };
};

const echo = async (t: TestContext): Promise<number> => {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.pipe(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const address = server.address();
  assert(typeof address === "object" && address !== null);
  return address.port;
};

test("proxies of a file pass bytes, a toxic that the API adds stops them, and SIGTERM ends it", async (t) => {
  const home = testHome(t);
  const upstream = `127.0.0.1:${await echo(t)}`;
  const config = join(home.temporary, "toxiproxy.json");
  writeFileSync(config, JSON.stringify([{ name: "echo", listen: "127.0.0.1:0", upstream }]));
  const started = home.start([
    ...["faults", "serve", "--listen", "127.0.0.1:0", "--config", config, "--seed", "7", "--json"],
  ]);
  const { port, ready, proxies, seed } = await readyLine(started);
  assert.deepEqual([ready, proxies, seed], [true, 1, 7]);
  const api = `http://127.0.0.1:${port}/proxies`;
  const { echo: proxy } = (await (await fetch(api)).json()) as { echo: { listen: string } };
  const ask = async (): Promise<string> => {
    const socket = connect(Number(proxy.listen.split(":")[1]), "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write("hello");
    socket.setTimeout(30_000, () => socket.destroy());
    const first = await Promise.race([once(socket, "data"), once(socket, "close")]);
    socket.destroy();
    return String(first[0]);
  };
  assert.equal(await ask(), "hello");
  const body = JSON.stringify({ type: "limit_data", attributes: { bytes: 0 } });
  assert.equal((await fetch(`${api}/echo/toxics`, { method: "POST", body })).status, 200);
  assert.notEqual(await ask(), "hello");
  started.child.kill("SIGTERM");
  const { code, stdout } = await started.ended;
  assert.equal(code, 0);
  assert.deepEqual(JSON.parse(stdout.trim().split("\n").at(-1) ?? ""), {
    ...{ ready: false, end: "stopped", reason: null },
  });
});

test("a halt ends it, and under halt it doesn't start", async (t) => {
  const { home, started } = serve(t);
  await readyLine(started);
  assert.equal((await home.run(["halt", "on", "--reason", "leak"])).code, 0);
  const { code, stdout } = await started.ended;
  assert.equal(code, 6);
  assert.match(stdout, /"end":"halted","reason":"[^}]*leak/);
  assert.equal((await home.run(["faults", "serve", "--listen", "127.0.0.1:0"])).code, 6);
});

test("what is wrong with the command line or the file is said, and where", async (t) => {
  const home = testHome(t);
  const config = join(home.temporary, "p.json");
  writeFileSync(config, '[{"name":"a","listen":"127.0.0.1:0","upstream":"192.0.2.1:9"}]');
  const cases = [
    [["--listen", "0.0.0.0:0"], "LISTEN_NOT_LOOPBACK"],
    [["--listen", "localhost:0"], "LISTEN_INVALID"],
    [["--seed", "-1"], "USAGE"],
    [["--seed", "4294967296"], "USAGE"],
    [["--config", config], "PROXIES_INVALID"],
  ] as const;
  for (const [flags, error] of cases) {
    const ended = await home.run(["faults", "serve", "--listen", "127.0.0.1:0", ...flags]);
    assert.equal(ended.code, 2, `${flags}: ${ended.stderr}`);
    assert.match(ended.stderr, new RegExp(error), `${flags}`);
  }
  const { started } = serve(t, "--config", config, "--upstream-beyond-loopback");
  assert.equal((await readyLine(started)).proxies, 1);
  started.child.kill("SIGTERM");
  await started.ended;
});
