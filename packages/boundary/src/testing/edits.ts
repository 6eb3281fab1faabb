/** Put in a place of a valid document, most of these make it wrong. */
export const REPLACEMENTS: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  53,
  123,
  65_536,
  Number.MAX_SAFE_INTEGER,
  "",
  "x",
  "udp",
  "icmp",
  "egress",
  "Allow",
  "10.60.1.8",
  "10.60.1.1/24",
  "fd00::/64",
  "127.0.0.1",
  "API.example.com.",
  "x.net=participant",
  "a b",
  "two\nlines",
  "x".repeat(3_000),
  [],
  [80, 80],
  ["lan", "lan"],
  {},
];

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A copy in which one place was replaced, removed, or given a neighbour. */
export const edited = (
  value: unknown,
  seed: number,
  edit: "replace" | "remove" | "add",
  by: unknown,
): unknown => {
  const copy = structuredClone(value) as Json;
  const places: (() => void)[] = [];
  const visit = (item: Json): void => {
    if (typeof item !== "object" || item === null) return;
    const members = item as Record<string, Json>;
    for (const [key, child] of Object.entries(members)) {
      places.push(() => {
        if (edit === "replace") members[key] = by as Json;
        else if (edit === "add" && Array.isArray(item)) item.push(by as Json);
        else if (edit === "add") members[`${key}2`] = by as Json;
        else if (Array.isArray(item)) item.splice(Number(key), 1);
        else delete members[key];
      });
      visit(child);
    }
  };
  visit(copy);
  places[seed % places.length]?.();
  return copy;
};

/** The same, with the members of every object in another order. */
export const reordered = (value: unknown, seed: number): unknown => {
  if (Array.isArray(value)) return value.map((item) => reordered(item, seed));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([key, item]) => [key, reordered(item, seed)] as const);
  const turn = seed % Math.max(1, members.length);
  return Object.fromEntries([...members.slice(turn), ...members.slice(0, turn)].reverse());
};
