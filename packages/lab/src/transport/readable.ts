import { type ApiPath, READ_PATHS } from "@drydock/acceptance";

/** Guard: whatever the types say, what isn't in the list is not read. */
export const isReadable = (path: string): path is ApiPath =>
  READ_PATHS.some((readable) => readable === path);
