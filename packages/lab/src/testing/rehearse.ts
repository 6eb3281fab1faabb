import { startRehearsal } from "../supervisor/index.js";

/**
 * A rehearsal as `drydock lab accept` starts one, for whoever wants to start it with something
 * broken: prints its report as JSON.
 */
const { directory, scenarios } = JSON.parse(process.argv[2] ?? "{}") as {
  readonly directory: string;
  readonly scenarios: readonly string[];
};

startRehearsal({ directory, scenarios, seed: 1 }).finished.then((report) => {
  process.stdout.write(JSON.stringify(report));
});
