import { Duplex } from "node:stream";

/** Two ends of a byte pipe in memory, with back-pressure. */
export const pipePair = (): readonly [Duplex, Duplex] => {
  const left = new End();
  const right = new End();
  left.other = right;
  right.other = left;
  return [left, right];
};

class End extends Duplex {
  other: End | null = null;
  #waiting: (() => void) | null = null;

  constructor() {
    super({ allowHalfOpen: true });
  }

  override _read(): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    setImmediate(() => {
      if (this.other === null || this.other.destroyed || this.other.push(chunk)) done();
      else this.other.#waiting = done;
    });
  }

  override _final(done: () => void): void {
    setImmediate(() => {
      this.other?.push(null);
      done();
    });
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const { other } = this;
    setImmediate(() => {
      if (other !== null && !other.destroyed && !other.readableEnded) other.destroy();
    });
    done(error);
  }
}
