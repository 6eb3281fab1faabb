import { systemTimers } from "../timers.js";
import { serveControl } from "./serve.js";

// Whoever started it decides when it ends, and closes the pipe; a signal to the terminal is theirs.
process.on("SIGINT", () => undefined);

serveControl(process.stdin, process.stdout, systemTimers).then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`fault proxy: ${error instanceof Error ? error.message : "failed"}\n`);
    process.exit(1);
  },
);
