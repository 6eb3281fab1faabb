import type { Duplex, Readable, Writable } from "node:stream";

/** Where a channel's bytes come from and go to: one stream, or one for each direction. */
export type BytePipe = Duplex | { readonly input: Readable; readonly output: Writable };

export interface Directions {
  readonly input: Readable;
  readonly output: Writable;
  destroy(): void;
}

export const directionsOf = (pipe: BytePipe): Directions => {
  const { input, output } = "input" in pipe ? pipe : { input: pipe, output: pipe };
  return {
    input,
    output,
    destroy() {
      input.destroy();
      output.destroy();
    },
  };
};
