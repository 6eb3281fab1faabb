import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { isPathAmbiguous } from "./path-form.js";
import { matchingRule } from "./rule-match.js";

const RULES = [
  { methods: ["GET", "HEAD"], path: "/public/" },
  { methods: ["POST"], path: "/v1/messages" },
];

describe("a rule admits", () => {
  test("its methods on its exact path, and nothing beneath or beside it", () => {
    assert.equal(matchingRule(RULES, "POST", "/v1/messages"), 1);
    for (const path of ["/v1/messages/", "/v1/messages/x", "/v1/message", "/V1/messages", "/v1"]) {
      assert.equal(matchingRule(RULES, "POST", path), -1, path);
    }
    for (const method of ["GET", "PUT", "post"]) {
      assert.equal(matchingRule(RULES, method, "/v1/messages"), -1, method);
    }
  });

  test("whatever begins with a path that ends in a slash", () => {
    assert.equal(matchingRule(RULES, "GET", "/public/"), 0);
    assert.equal(matchingRule(RULES, "HEAD", "/public/a/b"), 0);
    for (const path of ["/public", "/publicity", "/private/public/", "/", "/Public/"]) {
      assert.equal(matchingRule(RULES, "GET", path), -1, path);
    }
  });

  test("nothing when there is no rule", () => {
    assert.equal(matchingRule([], "GET", "/"), -1);
  });
});

/** A path that is read in one way, and the same with one thing that servers disagree about. */
const AMBIGUOUS: readonly (readonly [string, string])[] = [
  ["/public/a", "/public/../a"],
  ["/public/a.b", "/public/./a"],
  ["/public/...", "/public/.."],
  ["/public/.a", "/public/%2e%2e/a"],
  ["/public/a%20b", "/public/.%2E/a"],
  ["/public/a;b", "/public/..;b/a"],
  ["/public/a;..", "/public/..;/a"],
  ["/public/a%3bb", "/public/..%3b/a"],
  ["/public/a/b", "/public//b"],
  ["/public/a-b", "/public/a%2fb"],
  ["/public/a_b", "/public/a%2Fb"],
  ["/public/a|b", "/public/a\\b"],
  ["/public/a%7cb", "/public/a%5cb"],
  ["/public/%41", "/public/%2541"],
  ["/public/a%20", "/public/a%00"],
  ["/public/a%21", "/public/a%0d%0aX:"],
  ["/public/a%7e", "/public/a%7f"],
  ["/public/a", "/public/%c0%ae%c0%ae/a"],
  ["/public/a%20", "/public/a%2"],
  ["/public/a%22", "/public/a%zz"],
  ["/public/a", "public/a"],
  ["/public/a", "/public/a#b"],
  ["/public/a", "/public/a b"],
  ["/public/a", "*"],
];

describe("a path that servers read in more than one way", () => {
  for (const [plain, ambiguous] of AMBIGUOUS) {
    test(`${ambiguous}, but ${plain} is plain`, () => {
      assert.ok(isPathAmbiguous(ambiguous));
      assert.ok(!isPathAmbiguous(plain));
    });
  }

  test("whatever isn't ambiguous stays where it is when it is resolved and decoded", () => {
    const piece = fc.constantFrom("a", ".", "/", "%2e", "%2f", "%5c", "\\", ";", "%25", "..", "%");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const path = `/public/${pieces.join("")}`;
        fc.pre(!isPathAmbiguous(path));
        // As the WHATWG parser resolves it, and after each round of decoding that a server may do.
        for (const read of [path, decodeURIComponent(path)]) {
          assert.ok(new URL(read, "https://x.example").pathname.startsWith("/public/"), read);
        }
      }),
      { seed: profile.seed, numRuns: profile.fuzz },
    );
  });
});
