import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { isDrydockError } from "@drydock/evidence";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { ApiError } from "./error.js";
import { MAX_BODY_BYTES, MAX_PROXIES, MAX_TOXICS } from "./limits.js";
import { readProxiesFile } from "./proxies-file.js";
import { readBody } from "./read-body.js";
import { startToxiproxy } from "./server.js";

const lab = async (t: TestContext, reach = { listen: false, upstream: false }) => {
  const listen = { host: "127.0.0.1", port: 0 };
  const server = await startToxiproxy({ listen, reach, seed: 1, populate: [] });
  t.after(() => server.close());
  const base = `http://127.0.0.1:${server.address.port}`;
  return async (method: string, path: string, body?: unknown, headers = {}) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const init = body === undefined ? { method, headers } : { method, headers, body: text };
    const response = await fetch(`${base}${path}`, init);
    const said = await response.text();
    const json = /^[[{]/.test(said) ? JSON.parse(said) : said;
    return [response.status, json, response.headers.get("content-type")] as const;
  };
};
const web = { name: "web", listen: "127.0.0.1:0", upstream: "127.0.0.1:9" };
const error = (status: number, message: string) => ({ error: message, status });

describe("the API's answers", () => {
  it("have Toxiproxy's status, form and order", async (t) => {
    const ask = await lab(t);
    const [created, body, type] = await ask("POST", "/proxies", web);
    assert.deepEqual([created, type], [201, "application/json"]);
    assert.deepEqual(Object.keys(body), ["name", "listen", "upstream", "enabled", "toxics"]);
    const { listen } = body;
    const shown = { ...web, listen, enabled: true, toxics: [] };
    assert.deepEqual(body, shown);
    assert.deepEqual((await ask("GET", "/proxies")).slice(0, 2), [200, { web: shown }]);
    assert.deepEqual((await ask("GET", "/proxies/web")).slice(0, 2), [200, shown]);
    for (const method of ["POST", "PATCH"])
      assert.deepEqual((await ask(method, "/proxies/web", { enabled: false })).slice(0, 2), [
        ...[200, { ...shown, enabled: false }],
      ]);
    assert.deepEqual((await ask("POST", "/reset")).slice(0, 2), [204, ""]);
    const [status, toxic] = await ask("POST", "/proxies/web/toxics", {
      ...{ type: "latency", attributes: { latency: 5 }, stream: "upstream", toxicity: 0.25 },
    });
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(toxic), ["attributes", "name", "type", "stream", "toxicity"]);
    assert.deepEqual(toxic, {
      ...{ attributes: { latency: 5, jitter: 0 }, name: "latency_upstream", type: "latency" },
      ...{ stream: "upstream", toxicity: 0.25 },
    });
    assert.deepEqual((await ask("GET", "/proxies/web/toxics")).slice(0, 2), [200, [toxic]]);
    const one = "/proxies/web/toxics/latency_upstream";
    assert.deepEqual((await ask("GET", one)).slice(0, 2), [200, toxic]);
    const changed = { ...toxic, attributes: { latency: 5, jitter: 2 } };
    for (const method of ["POST", "PATCH"])
      assert.deepEqual((await ask(method, one, { attributes: { jitter: 2 } })).slice(0, 2), [
        200,
        changed,
      ]);
    assert.deepEqual((await ask("DELETE", one)).slice(0, 2), [204, ""]);
    assert.deepEqual((await ask("POST", "/populate", [{ ...web, listen }])).slice(0, 2), [
      ...[201, { proxies: [shown] }],
    ]);
    assert.deepEqual((await ask("DELETE", "/proxies/web")).slice(0, 2), [204, ""]);
    assert.match((await ask("GET", "/version"))[1].version, /^2\./);
  });

  it("are Toxiproxy's errors", async (t) => {
    const ask = await lab(t);
    await ask("POST", "/proxies", web);
    await ask("POST", "/proxies/web/toxics", { type: "latency" });
    const toxics = "/proxies/web/toxics";
    const stream = "stream was invalid, can be either upstream or downstream";
    const cases: readonly (readonly [string, string, unknown, object | string])[] = [
      ["POST", "/proxies", {}, error(400, "missing required field: name")],
      ["POST", "/proxies", { name: "a" }, error(400, "missing required field: upstream")],
      ["POST", "/proxies", web, error(409, "proxy already exists")],
      ["GET", "/proxies/none", undefined, error(404, "proxy not found")],
      ["POST", "/proxies/none", {}, error(404, "proxy not found")],
      ["DELETE", "/proxies/none", undefined, error(404, "proxy not found")],
      ["GET", "/proxies/none/toxics", undefined, error(404, "proxy not found")],
      ["POST", toxics, { type: "none" }, error(400, "invalid toxic type")],
      ["POST", toxics, { type: "latency", stream: "up" }, error(400, stream)],
      ["POST", toxics, { type: "latency" }, error(409, "toxic already exists")],
      ["GET", `${toxics}/none`, undefined, error(404, "toxic not found")],
      ["POST", `${toxics}/none`, {}, error(404, "toxic not found")],
      ["DELETE", `${toxics}/none`, undefined, error(404, "toxic not found")],
      ["POST", "/proxies", "", error(400, "bad request body: EOF")],
      ["GET", "/none", undefined, "404 page not found\n"],
      ["GET", "/proxies/%ff", undefined, "404 page not found\n"],
    ];
    for (const [method, path, body, expected] of cases) {
      const [status, said] = await ask(method, path, body);
      assert.deepEqual(said, expected, path);
      assert.equal(status, typeof expected === "string" ? 404 : Reflect.get(expected, "status"));
    }
    assert.deepEqual((await ask("PUT", "/proxies")).slice(0, 2), [405, ""]);
    const [status, said] = await ask("POST", "/populate", [{ ...web, name: "b" }, { name: "c" }]);
    assert.deepEqual(
      [status, said],
      [400, { ...error(400, "missing required field: upstream at proxy 2"), proxies: null }],
    );
    assert.equal((await ask("GET", "/proxies/b"))[0], 404);
  });

  it("say what is wrong with a body, and nothing has changed", async (t) => {
    const ask = await lab(t);
    await ask("POST", "/proxies", web);
    const before = (await ask("GET", "/proxies"))[1];
    const toxic = (attributes: object, type = "latency") => ({ type, attributes });
    const bad: readonly (readonly [string, unknown])[] = [
      ["/proxies", "{"],
      ["/proxies", '{"name":"a","name":"b"}'],
      ["/proxies", []],
      ["/proxies", { ...web, name: "b", more: 1 }],
      ["/proxies", { ...web, name: 1 }],
      ["/proxies/web/toxics", toxic({ latancy: 1 })],
      ["/proxies/web/toxics", toxic({ latency: 1.5 })],
      ["/proxies/web/toxics", toxic({ latency: -1 })],
      ["/proxies/web/toxics", toxic({ latency: "1" })],
      ["/proxies/web/toxics", { ...toxic({ latency: 1 }), toxicity: 1.01 }],
      ["/proxies/web/toxics", { ...toxic({ latency: 1 }), toxicity: -0.01 }],
      ["/proxies/web/toxics", toxic({}, "slicer")],
      ["/proxies/web/toxics", toxic({ average_size: 0 }, "slicer")],
      ["/proxies/web/toxics", toxic({ average_size: 5, size_variation: 5 }, "slicer")],
      ["/populate", { ...web }],
      ["/populate", [web, web]],
    ];
    for (const [path, body] of bad) {
      const [status, said] = await ask("POST", path, body);
      assert.equal(status, 400, JSON.stringify(body));
      assert.match(said.error, /^bad request body: /);
    }
    assert.deepEqual((await ask("GET", "/proxies"))[1], before);
    // The control: one step beside each.
    for (const body of [toxic({ latency: 0 }), { ...toxic({}, "bandwidth"), toxicity: 1 }])
      assert.equal((await ask("POST", "/proxies/web/toxics", body))[0], 200);
    const slicer = toxic({ average_size: 5, size_variation: 4 }, "slicer");
    assert.equal((await ask("POST", "/proxies/web/toxics", slicer))[0], 200);
  });

  it("say which port is taken, in Go's words", async (t) => {
    const ask = await lab(t);
    const { listen } = (await ask("POST", "/proxies", web))[1];
    const [status, said] = await ask("POST", "/proxies", { ...web, name: "b", listen });
    assert.deepEqual(
      [status, said],
      [500, error(500, `listen tcp ${listen}: bind: address already in use`)],
    );
    assert.equal((await ask("GET", "/proxies/b"))[0], 404);
  });

  it("populate keeps what is the same, with its toxics, and replaces what isn't", async (t) => {
    const ask = await lab(t);
    const { listen } = (await ask("POST", "/proxies", web))[1];
    await ask("POST", "/proxies/web/toxics", { type: "latency" });
    const same = (await ask("POST", "/populate", [{ ...web, listen }]))[1].proxies[0];
    assert.equal(same.toxics.length, 1);
    const other = { ...web, listen, upstream: "127.0.0.1:10" };
    const replaced = (await ask("POST", "/populate", [other]))[1].proxies[0];
    assert.deepEqual([replaced.upstream, replaced.toxics], ["127.0.0.1:10", []]);
  });
});

describe("who may ask, and for what", () => {
  it("a browser may not, in its words or across origins", async (t) => {
    const ask = await lab(t);
    const browser = { "User-Agent": "Mozilla/5.0 (X11)" };
    assert.deepEqual((await ask("GET", "/proxies", undefined, browser)).slice(0, 2), [
      ...[403, "User agent not allowed\n"],
    ]);
    const origin = { Origin: "https://page.example" };
    assert.equal((await ask("POST", "/proxies", web, origin))[0], 403);
    const client = { "User-Agent": "toxiproxy-cli/2.9.0" };
    assert.deepEqual((await ask("GET", "/proxies", undefined, client)).slice(0, 2), [200, {}]);
  });

  it("beyond loopback only what was asked for", async (t) => {
    const ask = await lab(t);
    for (const [listen, upstream] of [
      ["0.0.0.0:0", "127.0.0.1:9"],
      [":0", "127.0.0.1:9"],
      ["[::]:0", "127.0.0.1:9"],
      ["127.0.0.1:0", "192.0.2.1:9"],
      ["127.0.0.1:0", "name.example:9"],
    ] as const) {
      const body = { name: "a", listen, upstream };
      assert.equal((await ask("POST", "/proxies", body))[0], 403, `${listen} ${upstream}`);
      assert.equal((await ask("POST", "/populate", [body]))[0], 403);
    }
    await ask("POST", "/proxies", web);
    assert.equal((await ask("POST", "/proxies/web", { listen: "0.0.0.0:0" }))[0], 403);
    assert.equal((await ask("POST", "/proxies/web", { upstream: "192.0.2.1:9" }))[0], 403);
    for (const listen of ["localhost:0", "127.0.0.2:0"])
      assert.equal((await ask("POST", "/proxies", { ...web, name: listen, listen }))[0], 201);
    const far = await lab(t, { listen: true, upstream: true });
    const body = { name: "a", listen: "0.0.0.0:0", upstream: "192.0.2.1:9" };
    assert.equal((await far("POST", "/proxies", body))[0], 201);
    await assert.rejects(
      startToxiproxy({
        listen: { host: "0.0.0.0", port: 0 },
        reach: { listen: false, upstream: false },
        ...{ seed: 1, populate: [] },
      }),
      { code: "LISTEN_NOT_LOOPBACK" },
    );
  });

  it("so many proxies, toxics and bytes, and no more", async (t) => {
    const ask = await lab(t);
    const many = Array.from({ length: MAX_PROXIES }, (_, at) => ({
      ...web,
      name: `p${at}`,
      enabled: false,
    }));
    assert.equal((await ask("POST", "/populate", many))[0], 201);
    assert.equal((await ask("POST", "/proxies", web))[0], 429);
    for (let at = 0; at < MAX_TOXICS; at += 1)
      assert.equal(
        (await ask("POST", "/proxies/p0/toxics", { type: "latency", name: `${at}` }))[0],
        200,
      );
    assert.equal((await ask("POST", "/proxies/p0/toxics", { type: "latency" }))[0], 429);
    assert.equal((await ask("POST", "/proxies", " ".repeat(MAX_BODY_BYTES + 1)))[0], 413);
    assert.equal((await ask("POST", "/proxies", " ".repeat(MAX_BODY_BYTES)))[0], 400);
  });
});

describe("a body", () => {
  it("is read with its fractions", () => {
    const text = '{"a":0.25,"b":[1e3,-2.5E-1,"1.5"],"c":"\\"0.1"}';
    assert.deepEqual(readBody(Buffer.from(text)), { a: 0.25, b: [1000, -0.25, "1.5"], c: '"0.1' });
  });

  it("is JSON or refused, whatever it is", () => {
    const json = fc.json({ maxDepth: 4 }).map((text) => Buffer.from(text));
    const cut = fc
      .tuple(fc.json(), fc.nat({ max: 20 }))
      .map(([text, at]) => Buffer.from(text.slice(at)));
    const bytes = fc.uint8Array({ maxLength: 60 }).map((some) => Buffer.from(some));
    fc.assert(
      fc.property(fc.oneof(json, cut, bytes), (some) => {
        try {
          assert.deepEqual(readBody(some), JSON.parse(some.toString()));
        } catch (caught) {
          if (!(caught instanceof ApiError)) throw caught;
          assert.equal(caught.status, 400);
        }
      }),
      { numRuns: profile.fuzz * 5, seed: profile.seed },
    );
  });
});

describe("a file of proxies", () => {
  it("is Toxiproxy's, and mistakes have a place", () => {
    const file = `[{"name":"web","listen":"127.0.0.1:0","upstream":"127.0.0.1:9","enabled":true}]`;
    assert.deepEqual(readProxiesFile(Buffer.from(file), "p.json"), [{ ...web, enabled: true }]);
    const wrong = '[\n  {"name":"web","lisen":"x"}]';
    assert.throws(
      () => readProxiesFile(Buffer.from(wrong), "p.json"),
      (caught) =>
        isDrydockError(caught) && /^p\.json:2:\d+: unknown key "lisen"/.test(caught.message),
    );
  });
});
