/** Guard: a path beneath a directory by its spelling alone, without a way back up. */
export const isWithin = (directory: string, path: string): boolean =>
  path.startsWith(`${directory}/`) && path.split("/").every((part) => !/^\.{1,2}$/.test(part));
