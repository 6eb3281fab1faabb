import { type Guard, simply } from "./guard.js";

/** What a name server may answer, and which addresses may be dialled. */
export const RESOLVE_GUARDS: readonly Guard[] = [
  {
    module: "resolve/answer/echoes",
    what: "takes any answer for its own",
    source: simply("export const echoes = () => true;"),
    cells: "CONNECT: late answer",
  },
  {
    module: "resolve/answer/over-limit",
    what: "has no limits",
    source: simply("export const overLimit = () => false;"),
    cells: "CONNECT: answer",
  },
  {
    module: "resolve/answer/follow",
    what: "takes every address in an answer",
    source: simply(`export const followAliases = (name, records) => ({
      kind: "addresses",
      ttl: 60,
      addresses: records.flatMap(({ address }) => address === undefined ? [] : [address]),
    });`),
    cells: "CONNECT: answer",
  },
  {
    module: "resolve/message/read-name",
    what: "takes every pointer for the name that was asked for",
    source: simply(`export const readName = (message, start) => {
      for (let at = start, name = ""; at < message.length; ) {
        const head = message[at];
        if (head >= 0xc0) {
          const end = message.indexOf(0, 12) + 1;
          return { name: String.fromCharCode(...message.subarray(12, end)), next: at + 2 };
        }
        name += String.fromCharCode(...message.subarray(at, at + 1 + head));
        at += 1 + head;
        if (head === 0) return { name, next: at };
      }
      return null;
    };`),
    cells: "CONNECT: answer",
  },
  {
    module: "resolve/message/read-address",
    what: "takes addresses of any length",
    source: simply(
      "export const readAddress = (family, bytes) => ({ family, bytes: bytes.slice(0, family === 4 ? 4 : 16) });",
    ),
    cells: "CONNECT: answer",
  },
  {
    module: "resolve/lookup/settle",
    what: "is content with one family",
    source: simply(`export const settle = (v4, v6) => {
      const addresses = [...(v4.addresses ?? []), ...(v6.addresses ?? [])];
      return addresses.length > 0 ? { kind: "addresses", addresses, ttl: 60 } : null;
    };`),
    cells: "CONNECT: late answer",
  },
  {
    module: "resolve/keep/is-fresh",
    what: "keeps an answer for good",
    source: simply("export const isFresh = () => true;"),
    cells: "CONNECT: answer",
  },
  {
    module: "resolve/keep/is-fresh",
    what: "keeps an answer for as long as it may, whatever its records say",
    source: simply(
      "export const isFresh = ({ askedAt }, at, maxAgeMs) => at - askedAt < maxAgeMs;",
    ),
    cells: "CONNECT: answer",
  },
  {
    module: "address/all-global",
    what: "looks at the first address only",
    source: (from) => `import { classifyAddress } from ${from("address/classify")};
      export const allGlobal = ([address]) =>
        address === undefined
          ? { kind: "refused", address: null, class: null }
          : classifyAddress(address).kind === "global"
            ? { kind: "global" }
            : { kind: "refused", address, class: classifyAddress(address) };`,
    cells: "CONNECT: answer",
  },
  {
    module: "address/classify",
    what: "takes every address for a global one",
    source: simply(`export const classifyAddress = () => ({ kind: "global" });`),
    cells: "CONNECT: answer",
  },
  {
    module: "address/embedded-ipv4",
    what: "sees no embedded address",
    source: simply("export const embeddedIpv4 = () => [];"),
    cells: "CONNECT: answer",
  },
];
