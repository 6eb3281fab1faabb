/** Tells whoever waits that something happened; what happens while nobody waits is told at once. */
export class Pulse {
  #pending = false;
  #wake: (() => void) | null = null;

  tell(): void {
    this.#pending = true;
    this.#wake?.();
  }

  async next(): Promise<void> {
    if (!this.#pending) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = null;
    }
    this.#pending = false;
  }
}
