/** Where a value begins, and what it holds: members by key, items by index. */
export interface JsonPlace {
  readonly offset: number;
  readonly members: ReadonlyMap<string, JsonMember>;
}

export interface JsonMember {
  /** Of an item the same as its value's. */
  readonly keyOffset: number;
  readonly value: JsonPlace;
}

export interface JsonPlaces {
  readonly root: JsonPlace;
  /** Byte offsets, ascending. */
  readonly lineStarts: readonly number[];
}

/** In the bytes of one JSON text that `parseJson` has accepted; with any other it means nothing. */
export const readJsonPlaces = (bytes: Buffer): JsonPlaces => {
  const lineStarts = [0];
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) {
    lineStarts.push(at + 1);
  }
  return { root: new Walk(bytes).value(), lineStarts };
};

const LF = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const NOTHING: ReadonlyMap<string, JsonMember> = new Map();

class Walk {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  value(): JsonPlace {
    const offset = this.#begin();
    switch (this.#bytes[offset]) {
      case OPEN_OBJECT:
        return { offset, members: this.#object() };
      case OPEN_ARRAY:
        return { offset, members: this.#array() };
      case QUOTE:
        this.#string();
        return { offset, members: NOTHING };
      default:
        this.#word();
        return { offset, members: NOTHING };
    }
  }

  #object(): ReadonlyMap<string, JsonMember> {
    const members = new Map<string, JsonMember>();
    this.#at += 1;
    while (this.#bytes[this.#begin()] !== CLOSE_OBJECT) {
      const keyOffset = this.#at;
      members.set(this.#key(), { keyOffset, value: this.value() });
    }
    this.#at += 1;
    return members;
  }

  #key(): string {
    const start = this.#at;
    this.#string();
    const text = this.#bytes.toString("utf8", start, this.#at);
    return text.includes("\\") ? JSON.parse(text) : text.slice(1, -1);
  }

  #array(): ReadonlyMap<string, JsonMember> {
    const members = new Map<string, JsonMember>();
    this.#at += 1;
    while (this.#bytes[this.#begin()] !== CLOSE_ARRAY) {
      const keyOffset = this.#at;
      members.set(String(members.size), { keyOffset, value: this.value() });
    }
    this.#at += 1;
    return members;
  }

  /** Over what stands between values. */
  #begin(): number {
    while (this.#isBetween(this.#bytes[this.#at])) this.#at += 1;
    return this.#at;
  }

  #string(): void {
    this.#at += 1;
    while (this.#bytes[this.#at] !== QUOTE) {
      this.#at += this.#bytes[this.#at] === BACKSLASH ? 2 : 1;
    }
    this.#at += 1;
  }

  #word(): void {
    while (this.#at < this.#bytes.length && !this.#endsWord(this.#bytes[this.#at])) this.#at += 1;
  }

  #isBetween(byte: number | undefined): boolean {
    return byte === COMMA || byte === COLON || this.#isSpace(byte);
  }

  #endsWord(byte: number | undefined): boolean {
    return byte === CLOSE_ARRAY || byte === CLOSE_OBJECT || this.#isBetween(byte);
  }

  #isSpace(byte: number | undefined): boolean {
    return byte === 0x20 || byte === LF || byte === 0x0d || byte === 0x09;
  }
}
