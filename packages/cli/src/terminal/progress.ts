import type { Style } from "./style.js";
import { windowSize } from "./window-size.js";

/** Says on standard error what is going on: one line that changes on a terminal, plain lines elsewhere. */
export interface Progress {
  /** What is being done now. */
  step(text: string): void;
  /** A line that stays. */
  note(text: string): void;
  /** Leaves the terminal's line empty, before other output is written. */
  clear(): void;
}

export interface ProgressStream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

export const SILENT: Progress = {
  step: () => undefined,
  note: () => undefined,
  clear: () => undefined,
};

export const createProgress = (stream: ProgressStream, style: Style): Progress => {
  if (stream.isTTY !== true) {
    let last = "";
    return {
      step: (text) => {
        if (text !== last) stream.write(`drydock: ${text}\n`);
        last = text;
      },
      note: (text) => stream.write(`drydock: ${text}\n`),
      clear: () => undefined,
    };
  }
  let shown = false;
  const clear = (): void => {
    if (shown) stream.write("\r\u001b[K");
    shown = false;
  };
  return {
    step: (text) => {
      clear();
      stream.write(style.dim(`· ${text}`.slice(0, windowSize(stream).cols - 1)));
      shown = true;
    },
    note: (text) => {
      clear();
      stream.write(`${text}\n`);
    },
    clear,
  };
};
