/**
 * A name as the least distinguishing file system would compare it: without regard to case (NTFS,
 * APFS, HFS+) and to composed or decomposed accents (APFS, HFS+). Two paths with one fold cannot
 * both be unpacked there.
 */
export const foldPath = (path: string): string =>
  // Upper case first: it maps "ß" to "SS" and "ſ" to "S", which lower case alone keeps apart.
  path.normalize("NFD").toUpperCase().toLowerCase().normalize("NFC");
