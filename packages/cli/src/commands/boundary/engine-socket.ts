import { realpathSync } from "node:fs";
import { resolve } from "node:path";

/** What an engine's socket is called: as it was named, from the root, and where that leads. */
export const spellingsOf = (socket: string): readonly string[] => {
  const named = resolve(socket);
  try {
    return [named, realpathSync(named)];
  } catch {
    // An engine that isn't there is refused when it is asked.
    return [named];
  }
};
