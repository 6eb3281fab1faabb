import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { type Ended, type TestHome, testHome } from "../testing/home.js";
import { whatIsLeft } from "../testing/left.js";
import { inTree } from "../testing/repository.js";
import { suiteEndings } from "../testing/suite.js";

type Step =
  | { readonly wait: string }
  | { readonly type: string }
  | { readonly resize: readonly [number, number] };

describe("drydock shell", () => {
  const endings = suiteEndings();
  let home: TestHome;

  before(async () => {
    home = testHome(endings);
    await home.buildBase();
  });

  /** On a terminal of its own, which is what it refuses to do without. */
  const onTerminal = (steps: readonly Step[], args: readonly string[]): Promise<Ended> =>
    home.run(args, {
      wrapper: [
        ...["python3", inTree("packages/cli/src/testing/terminal.py")],
        ...[JSON.stringify(steps), "--"],
      ],
    });

  test("runs what is typed, follows the window's size, and ends with the shell's status", async () => {
    // Typed words are echoed, so what is waited for is never what was typed.
    const shown = await onTerminal(
      [
        { wait: "$ " },
        { type: "echo up-$((40+2)); stty size; test -t 0 && echo a-$((1+0))-tty\n" },
        { wait: "up-42" },
        { wait: "24 80" },
        { wait: "a-1-tty" },
        { resize: [50, 132] },
        { type: "for i in 1 2 3 4 5 6 7 8 9; do stty size; sleep 0.3; done; echo re-$((3*3))\n" },
        { wait: "50 132" },
        { wait: "re-9" },
        { type: "sh -c 'echo in-$((2+2)); exec sleep 500'\n" },
        { wait: "in-4" },
        { type: "\u0003" },
        { wait: "$ " },
        { type: "exit 9\n" },
        { wait: "verdict" },
      ],
      ["shell", "--", "/bin/sh", "-i"],
    );
    assert.equal(shown.code, 9, shown.stdout + shown.stderr);
    assert.match(shown.stdout, /verdict {2}PASS/);
    assert.match(shown.stdout, /evidence \//);
    assert.deepEqual(await whatIsLeft(home), []);
  });

  test("hands a signal's status on, and lets no escape of the guest reach the clipboard", async () => {
    const script =
      "printf 'colour \\033[31mred\\033[0m clip \\033]52;c;aGk=\\007 done\\n'; kill -9 $$";
    const shown = await onTerminal([{ wait: "verdict" }], ["shell", "--", "sh", "-c", script]);
    assert.equal(shown.code, 128 + 9, shown.stdout + shown.stderr);
    assert.ok(shown.stdout.includes("\u001b[31mred"), JSON.stringify(shown.stdout));
    assert.ok(!shown.stdout.includes("\u001b]52"), JSON.stringify(shown.stdout));
  });

  test("a terminal without a size is given the usual one", async () => {
    const shown = await onTerminal(
      [{ resize: [0, 0] }, { wait: "24 80" }, { wait: "verdict" }],
      ["shell", "--", "stty", "size"],
    );
    assert.equal(shown.code, 0, shown.stdout + shown.stderr);
    assert.match(shown.stdout, /starting the machine/);
  });
});
