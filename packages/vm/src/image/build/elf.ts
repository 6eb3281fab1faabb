import { imageError } from "../errors.js";

const ELF_MAGIC = "\x7fELF";
const CLASS_64_LITTLE_ENDIAN = [2, 1];
const MACHINE_X86_64 = 62;
const PT_LOAD = 1;
const PT_DYNAMIC = 2;
const DT_NULL = 0n;
const DT_NEEDED = 1n;
const DT_STRTAB = 5n;
const MAX_NAME_BYTES = 256;

interface Segment {
  readonly type: number;
  readonly offset: number;
  readonly address: bigint;
  readonly size: number;
}

/** The shared objects that an x86-64 ELF file names (System V ABI, DT_NEEDED), in its order. */
export const neededLibraries = (elf: Buffer, what: string): readonly string[] => {
  if (
    elf.toString("latin1", 0, 4) !== ELF_MAGIC ||
    elf[4] !== CLASS_64_LITTLE_ENDIAN[0] ||
    elf[5] !== CLASS_64_LITTLE_ENDIAN[1] ||
    elf.readUInt16LE(18) !== MACHINE_X86_64
  ) {
    throw imageError("IMAGE_PLATFORM", `${what} is not an x86-64 ELF file`, {
      fix: "Run Drydock with an x86-64 build of Node for Linux.",
    });
  }
  const segments = readSegments(elf);
  const dynamic = segments.find(({ type }) => type === PT_DYNAMIC);
  if (dynamic === undefined) return [];
  const tags = readTags(elf, dynamic);
  const strings = tags.find(({ tag }) => tag === DT_STRTAB);
  if (strings === undefined) return [];
  const table = fileOffset(segments, strings.value, what);
  return tags
    .filter(({ tag }) => tag === DT_NEEDED)
    .map(({ value }) => readName(elf, table + Number(value), what));
};

const readSegments = (elf: Buffer): readonly Segment[] => {
  const table = Number(elf.readBigUInt64LE(32));
  const entryBytes = elf.readUInt16LE(54);
  return Array.from({ length: elf.readUInt16LE(56) }, (_, index) => {
    const at = table + index * entryBytes;
    return {
      type: elf.readUInt32LE(at),
      offset: Number(elf.readBigUInt64LE(at + 8)),
      address: elf.readBigUInt64LE(at + 16),
      size: Number(elf.readBigUInt64LE(at + 32)),
    };
  });
};

const readTags = (
  elf: Buffer,
  { offset, size }: Segment,
): readonly { readonly tag: bigint; readonly value: bigint }[] => {
  const tags = [];
  for (let at = offset; at + 16 <= offset + size; at += 16) {
    const tag = elf.readBigUInt64LE(at);
    if (tag === DT_NULL) break;
    tags.push({ tag, value: elf.readBigUInt64LE(at + 8) });
  }
  return tags;
};

const fileOffset = (segments: readonly Segment[], address: bigint, what: string): number => {
  const home = segments.find(
    (segment) =>
      segment.type === PT_LOAD &&
      address >= segment.address &&
      address < segment.address + BigInt(segment.size),
  );
  if (home !== undefined) return home.offset + Number(address - home.address);
  throw imageError("IMAGE_INPUT", `${what} has a string table outside its segments`);
};

const readName = (elf: Buffer, at: number, what: string): string => {
  const end = elf.indexOf(0, at);
  if (end !== -1 && end - at <= MAX_NAME_BYTES) return elf.toString("utf8", at, end);
  throw imageError("IMAGE_INPUT", `${what} has a library name without an end`);
};
