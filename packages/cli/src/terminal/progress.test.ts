import assert from "node:assert/strict";
import { test } from "node:test";
import { createProgress, type ProgressStream } from "./progress.js";
import { chooseStyle } from "./style.js";
import { windowSize } from "./window-size.js";

const shown = (stream: Omit<ProgressStream, "write">, ...steps: readonly string[]): string => {
  let text = "";
  const progress = createProgress(
    {
      ...stream,
      write: (more) => {
        text += more;
      },
    },
    chooseStyle(false, {}),
  );
  for (const step of steps) progress.step(step);
  progress.clear();
  return text;
};

test("on a terminal one line changes, cut to the terminal's width", () => {
  const wide = shown({ isTTY: true, columns: 40 }, "one", "two");
  assert.equal(wide, "· one\r\u001b[K· two\r\u001b[K");
  assert.equal(shown({ isTTY: true, columns: 6 }, "starting"), "· sta\r\u001b[K");
});

test("a terminal that has no size shows whole words", () => {
  for (const columns of [0, undefined])
    assert.equal(shown({ isTTY: true, columns }, "starting"), "· starting\r\u001b[K");
  assert.deepEqual(windowSize({ rows: 0, columns: 0 }), { rows: 24, cols: 80 });
  assert.deepEqual(windowSize({}), { rows: 24, cols: 80 });
  assert.deepEqual(windowSize({ rows: 50, columns: 132 }), { rows: 50, cols: 132 });
});

test("elsewhere each step is a line of its own, said once", () => {
  assert.equal(shown({}, "one", "one", "two"), "drydock: one\ndrydock: two\n");
});
