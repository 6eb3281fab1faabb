import { quote } from "@drydock/evidence";
import { violated } from "../violation.js";
import type { Binding, Header } from "./frame.js";

export interface Expected {
  /** null: the first frame decides. */
  readonly binding: Binding | null;
  readonly seq: number;
  readonly previous: string;
  readonly nowNs: bigint | null;
}

/**
 * A guard: a frame of another run, of a lease that was superseded, replayed, left out, reordered
 * or late is refused whatever it says. @throws WireError
 */
export const acceptHeader = (header: Header, expected: Expected): void => {
  const { binding } = expected;
  if (binding !== null) {
    if (header.run !== binding.run) throw violated("wrong-run", quote(header.run));
    if (header.lease !== binding.lease) throw violated("wrong-lease", quote(header.lease));
    if (header.generation !== binding.generation) {
      throw violated(
        "wrong-generation",
        `generation ${header.generation}, expected ${binding.generation}`,
      );
    }
  }
  if (header.seq !== expected.seq) {
    throw violated("out-of-order", `sequence ${header.seq}, expected ${expected.seq}`);
  }
  if (header.prev !== expected.previous) {
    throw violated("wrong-previous", `frame ${header.seq} doesn't follow the frame before it`);
  }
  if (expected.nowNs !== null && BigInt(header.deadline) < expected.nowNs) {
    throw violated("deadline-passed", `frame ${header.seq} was valid until ${header.deadline}`);
  }
};
