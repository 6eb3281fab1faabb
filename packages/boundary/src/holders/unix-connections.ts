/** One end of a connected stream socket, as `ss -H -x` lists it. */
export interface UnixConnection {
  /** Numbers of this end and of the other one, of the kernel's sockfs. */
  readonly inode: number;
  readonly peer: number;
  /** Of the socket that it was accepted on; null at the end that connected. */
  readonly acceptedOn: string | null;
}

/**
 * What isn't a connection is left out. Numbers are read from the line's end, since a socket may be
 * bound to a path with anything in it.
 */
export const parseUnixConnections = (listing: string): readonly UnixConnection[] =>
  listing.split("\n").flatMap((line) => {
    const found = /^u_str +ESTAB +\d+ +\d+ +(.*) (\d+) +\* (\d+) *$/.exec(line);
    if (found === null) return [];
    const [, path = "", inode, peer] = found;
    const acceptedOn = path.trim() === "*" ? null : path.trim();
    return [{ inode: Number(inode), peer: Number(peer), acceptedOn }];
  });
