/**
 * Aho and Corasick's automaton (CACM 18, 1975) as one dense table. It reads each byte once,
 * whatever the number of patterns, and ignores ASCII case.
 */
export interface Automaton {
  /** Column of each byte in `next`; column 0 stands for bytes that are in no pattern. */
  readonly column: Uint8Array;
  readonly columns: number;
  /** `next[state * columns + column]`: the state behind that byte. State 0 is the start. */
  readonly next: Uint32Array;
  /** By state: how many of the bytes read last are the start of a pattern. */
  readonly depth: Uint16Array;
  /** By state: the patterns that end there, by index; null where none does. */
  readonly ends: readonly (readonly number[] | null)[];
}

/** @param patterns not empty, lower case. */
export const compileAutomaton = (patterns: readonly Uint8Array[]): Automaton => {
  const { column, columns } = columnsOf(patterns);
  const trie: Trie = { children: [new Map()], depth: [0], ends: [[]] };
  for (const [index, bytes] of patterns.entries()) addPattern(trie, bytes, column, index);

  const states = trie.children.length;
  const next = new Uint32Array(states * columns);
  const fallback = new Uint32Array(states);
  // Breadth first, so that whatever a state falls back to is complete before it is needed.
  const queue: number[] = [0];
  for (let at = 0; at < queue.length; at += 1) {
    const state = queue[at] ?? 0;
    const back = fallback[state] ?? 0;
    if (state !== 0) trie.ends[state]?.push(...(trie.ends[back] ?? []));
    for (let symbol = 0; symbol < columns; symbol += 1) {
      const onward = state === 0 ? 0 : (next[back * columns + symbol] ?? 0);
      const child = trie.children[state]?.get(symbol);
      next[state * columns + symbol] = child ?? onward;
      if (child === undefined) continue;
      fallback[child] = onward;
      queue.push(child);
    }
  }
  return {
    column,
    columns,
    next,
    depth: Uint16Array.from(trie.depth),
    ends: trie.ends.map((ends) => (ends.length === 0 ? null : ends)),
  };
};

interface Trie {
  readonly children: Map<number, number>[];
  readonly depth: number[];
  readonly ends: number[][];
}

const addPattern = (trie: Trie, bytes: Uint8Array, column: Uint8Array, index: number): void => {
  let state = 0;
  for (const [position, byte] of bytes.entries()) {
    const symbol = column[byte] ?? 0;
    let child = trie.children[state]?.get(symbol);
    if (child === undefined) {
      child = trie.children.length;
      trie.children.push(new Map());
      trie.depth.push(position + 1);
      trie.ends.push([]);
      trie.children[state]?.set(symbol, child);
    }
    state = child;
  }
  trie.ends[state]?.push(index);
};

const columnsOf = (
  patterns: readonly Uint8Array[],
): { readonly column: Uint8Array; readonly columns: number } => {
  const column = new Uint8Array(256);
  let columns = 1;
  for (const byte of new Set(patterns.flatMap((bytes) => [...bytes]))) {
    column[byte] = columns;
    columns += 1;
  }
  for (let letter = 0x41; letter <= 0x5a; letter += 1) {
    column[letter] = column[letter + 0x20] ?? 0;
  }
  return { column, columns };
};
