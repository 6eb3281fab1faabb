import type { Readable } from "node:stream";
import { linesOf } from "./lines.js";
import type { EndCause } from "./model.js";
import { parseStarterLine } from "./starter-protocol.js";

/** What whoever started a supervisor wants of it. Both resolve when that is gone. */
export interface Starter {
  readonly stopped: Promise<EndCause>;
  /** Directories to search; null when nobody asks any more. */
  readonly toSearch: Promise<readonly string[] | null>;
}

/** What it says, and that it is gone, come by the same pipe; what makes no sense is as if it were. */
export const hearStarter = (input: Readable): Starter => {
  let stop: (cause: EndCause) => void = () => undefined;
  let search: (directories: readonly string[] | null) => void = () => undefined;
  const stopped = new Promise<EndCause>((resolve) => {
    stop = resolve;
  });
  const toSearch = new Promise<readonly string[] | null>((resolve) => {
    search = resolve;
  });
  const hear = async (): Promise<void> => {
    for await (const bytes of linesOf(input)) {
      const line = parseStarterLine(bytes);
      switch (line.type) {
        case "stop":
          stop("stopped");
          break;
        case "search":
          search(line.directories);
          break;
      }
    }
  };
  const gone = (): void => {
    stop("starter-gone");
    search(null);
  };
  void hear().then(gone, gone);
  return { stopped, toSearch };
};
