import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { pinAddress } from "./pin-address.js";
import { parseTarget } from "./target.js";

const LABEL_63 = "a".repeat(63);

describe("a lab's URL", () => {
  for (const [url, host, port] of [
    ["https://candidate.lab.invalid", "candidate.lab.invalid", 443],
    ["https://candidate.lab.invalid:1", "candidate.lab.invalid", 1],
    ["https://candidate.lab.invalid:65535", "candidate.lab.invalid", 65_535],
    ["https://a.lab.invalid:8443", "a.lab.invalid", 8443],
    ["https://a-1.lab.invalid", "a-1.lab.invalid", 443],
    [`https://${LABEL_63}.lab.invalid`, `${LABEL_63}.lab.invalid`, 443],
    ["https://192.0.2.0", "192.0.2.0", 443],
    ["https://192.0.2.255", "192.0.2.255", 443],
    ["https://198.51.100.7:444", "198.51.100.7", 444],
    ["https://203.0.113.9", "203.0.113.9", 443],
  ] as const)
    test(`${url} is accepted`, () => assert.deepEqual(parseTarget(url), { host, port }));

  for (const url of [
    "http://candidate.lab.invalid",
    "HTTPS://candidate.lab.invalid",
    "https://Candidate.lab.invalid",
    "https://candidate.LAB.invalid",
    "https://candidate.lab.invalid.",
    "https://candidate.lab.invalid/",
    "https://candidate.lab.invalid/api",
    "https://candidate.lab.invalid?x=1",
    "https://candidate.lab.invalid#x",
    "https://user@candidate.lab.invalid",
    "https://user:word@candidate.lab.invalid",
    "https://candidate.lab.invalid@example.com",
    "https://candidate.lab.invalid:",
    "https://candidate.lab.invalid:0",
    "https://candidate.lab.invalid:0443",
    "https://candidate.lab.invalid:65536",
    "https://candidate.lab.invalid:443:443",
    "https://candidate.lab.invalid:+443",
    " https://candidate.lab.invalid",
    "https://candidate.lab.invalid\n",
    "https://candidate.lab.invalid\u0000",
    "https://evil.lab.invalid.example.com",
    "https://evil-lab.invalid",
    "https://lab.invalid",
    "https://.lab.invalid",
    "https://a.b.lab.invalid",
    "https://-a.lab.invalid",
    "https://a-.lab.invalid",
    `https://${LABEL_63}a.lab.invalid`,
    "https://xn--bcher-kva.lab.invalid",
    "https://bücher.lab.invalid",
    "https://candidate。lab.invalid",
    "https://192.0.2.256",
    "https://192.0.2.01",
    "https://192.0.2",
    "https://192.0.2.1.",
    "https://192.0.3.1",
    "https://192.0.1.255",
    "https://198.51.101.0",
    "https://203.0.112.255",
    "https://203.0.114.0",
    "https://3221225985",
    "https://0xc0000201",
    "https://[::ffff:192.0.2.1]",
    "https://[2001:db8::1]",
    "https://127.0.0.1",
    "https://10.0.0.1",
    "https://localhost",
    "",
  ])
    test(`${JSON.stringify(url)} is refused, and not repeated`, () => {
      assert.throws(
        () => parseTarget(url),
        ({ code, message }: { code: string; message: string }) =>
          code === "LAB_TARGET" && (url.length < 9 || !message.includes(url)),
      );
    });

  test("nothing beside the two forms is accepted, whatever stands around them", () => {
    const noise = fc.string({ unit: "binary", minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(noise, fc.nat(30), (text, at) => {
        const good = "https://candidate.lab.invalid";
        const url = good.slice(0, at) + text + good.slice(at);
        try {
          assert.match(parseTarget(url).host, /^[a-z0-9-]+\.lab\.invalid$/);
        } catch (error) {
          assert.equal((error as { code?: string }).code, "LAB_TARGET");
        }
      }),
      { numRuns: profile.fuzz, seed: profile.seed },
    );
  });
});

describe("a lab's address", () => {
  const target = { host: "candidate.lab.invalid", port: 443 };

  test("is the literal, without a look-up", async () => {
    const lookup = () => assert.fail("looked up");
    assert.equal(await pinAddress({ host: "192.0.2.7", port: 443 }, lookup), "192.0.2.7");
  });

  test("is what the name stands for, looked up once", async () => {
    const asked: string[] = [];
    const lookup = async (name: string) => {
      asked.push(name);
      return ["192.0.2.7", "203.0.113.1"];
    };
    assert.equal(await pinAddress(target, lookup), "192.0.2.7");
    assert.deepEqual(asked, ["candidate.lab.invalid"]);
  });

  for (const elsewhere of ["10.0.0.1", "127.0.0.1", "::1", "192.0.3.7", "192.0.2.07", "x"])
    test(`is not ${elsewhere}, first or last`, async () => {
      for (const answers of [
        [elsewhere, "192.0.2.7"],
        ["192.0.2.7", elsewhere],
      ])
        await assert.rejects(
          pinAddress(target, async () => answers),
          { code: "LAB_TARGET_ELSEWHERE" },
        );
    });

  test("is none where there is no answer, or no resolver", async () => {
    for (const lookup of [async () => [], () => Promise.reject(new Error("no resolver"))])
      await assert.rejects(pinAddress(target, lookup), { code: "LAB_TARGET_UNRESOLVED" });
  });
});
