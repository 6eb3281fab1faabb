/** A member of an initial RAM file system; owned by root, dated 1970. */
export type CpioMember =
  | { readonly kind: "directory"; readonly path: string; readonly mode: number }
  | {
      readonly kind: "file";
      readonly path: string;
      readonly mode: number;
      readonly content: Buffer;
    };

const MAGIC = "070701";
const ALIGNMENT = 4;
const TYPE = { directory: 0o040000, file: 0o100000 } as const;

/**
 * An archive in the "new ASCII" format, which Linux unpacks into its first root file system
 * (Documentation/driver-api/early-userspace/buffer-format.rst). Equal members are equal bytes.
 */
export const writeCpio = (members: readonly CpioMember[]): Buffer =>
  Buffer.concat([
    ...members.flatMap((member, index) =>
      encode(
        member.path.replace(/^\/+/, ""),
        index + 1,
        TYPE[member.kind] | member.mode,
        member.kind === "directory" ? 2 : 1,
        member.kind === "file" ? member.content : Buffer.alloc(0),
      ),
    ),
    ...encode("TRAILER!!!", 0, 0, 1, Buffer.alloc(0)),
  ]);

const encode = (
  name: string,
  inode: number,
  mode: number,
  links: number,
  content: Buffer,
): readonly Buffer[] => {
  const nameBytes = Buffer.from(`${name}\0`);
  // ino mode uid gid nlink mtime filesize devmajor devminor rdevmajor rdevminor namesize check
  const fields = [inode, mode, 0, 0, links, 0, content.length, 0, 0, 0, 0, nameBytes.length, 0];
  const header = Buffer.from(
    MAGIC + fields.map((value) => value.toString(16).padStart(8, "0")).join(""),
  );
  return [
    header,
    nameBytes,
    padding(header.length + nameBytes.length),
    content,
    padding(content.length),
  ];
};

const padding = (length: number): Buffer =>
  Buffer.alloc((ALIGNMENT - (length % ALIGNMENT)) % ALIGNMENT);
