/**
 * Aho and Corasick's automaton (CACM 18, 1975) as one dense table. It reads each byte once,
 * whatever the number of patterns, and ignores ASCII case.
 *
 * A state is the offset of its row in `next`, so that a step is one addition and two loads.
 */
export interface Automaton {
  /** Column of each byte in `next`; column 0 stands for bytes that are in no pattern. */
  readonly column: Uint8Array;
  readonly columns: number;
  /** `next[state + column]`: the state behind that byte. State 0 is the start. */
  readonly next: Uint32Array;
  /** States from this one on are where patterns end. */
  readonly accepting: number;
  /** By row: how many of the bytes read last are the start of a pattern. */
  readonly depth: Uint16Array;
  /** By row: the patterns that end there, by index. */
  readonly ends: readonly (readonly number[])[];
}

export const depthOf = ({ depth, columns }: Automaton, state: number): number =>
  depth[state / columns] ?? 0;

export const endsOf = ({ ends, columns }: Automaton, state: number): readonly number[] =>
  ends[state / columns] ?? [];

/** @param patterns lower case. */
export const compileAutomaton = (patterns: readonly Uint8Array[]): Automaton => {
  const { column, columns } = columnsOf(patterns);
  const trie = trieOf(patterns, column);
  const steps = stepsOf(trie, columns);

  // Accepting rows last: one comparison then tells whether anything ends.
  const order = [...trie.keys()].sort(
    (left, right) => endRank(trie[left]) - endRank(trie[right]) || left - right,
  );
  const row = new Uint32Array(trie.length);
  for (const [position, node] of order.entries()) row[node] = position;
  const next = new Uint32Array(trie.length * columns);
  for (const [position, node] of order.entries()) {
    for (let symbol = 0; symbol < columns; symbol += 1) {
      const onward = steps[node * columns + symbol] ?? 0;
      next[position * columns + symbol] = (row[onward] ?? 0) * columns;
    }
  }
  const nodes = order.flatMap((node) => trie[node] ?? []);
  return {
    column,
    columns,
    next,
    accepting: nodes.filter((node) => endRank(node) === 0).length * columns,
    depth: Uint16Array.from(nodes.map(({ depth }) => depth)),
    ends: nodes.map(({ ends }) => ends),
  };
};

interface Node {
  readonly depth: number;
  readonly children: Map<number, number>;
  readonly ends: number[];
}

const endRank = (node: Node | undefined): number => ((node?.ends.length ?? 0) === 0 ? 0 : 1);

const newNode = (depth: number): Node => ({ depth, children: new Map(), ends: [] });

const trieOf = (patterns: readonly Uint8Array[], column: Uint8Array): readonly Node[] => {
  const root = newNode(0);
  const trie = [root];
  for (const [index, bytes] of patterns.entries()) {
    let node = root;
    for (const byte of bytes) {
      const symbol = column[byte] ?? 0;
      const known = trie[node.children.get(symbol) ?? 0] ?? root;
      if (known !== root) {
        node = known;
        continue;
      }
      const child = newNode(node.depth + 1);
      node.children.set(symbol, trie.length);
      trie.push(child);
      node = child;
    }
    node.ends.push(index);
  }
  return trie;
};

/** The step from every node for every column; completes `ends` by what ends in a suffix. */
const stepsOf = (trie: readonly Node[], columns: number): Uint32Array => {
  const steps = new Uint32Array(trie.length * columns);
  const fallback = new Uint32Array(trie.length);
  // Breadth first, so that whatever a node falls back to is complete before it is needed.
  const queue: number[] = [0];
  for (let at = 0; at < queue.length; at += 1) {
    const state = queue[at] ?? 0;
    const back = fallback[state] ?? 0;
    const node = trie[state];
    if (state !== 0) node?.ends.push(...(trie[back]?.ends ?? []));
    for (let symbol = 0; symbol < columns; symbol += 1) {
      const onward = state === 0 ? 0 : (steps[back * columns + symbol] ?? 0);
      const child = node?.children.get(symbol);
      steps[state * columns + symbol] = child ?? onward;
      if (child === undefined) continue;
      fallback[child] = onward;
      queue.push(child);
    }
  }
  return steps;
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
