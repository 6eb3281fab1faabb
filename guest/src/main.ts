import { runAgent } from "./agent/agent.js";
import { linuxPlatform } from "./linux/platform.js";

const main = async (): Promise<number> => {
  const platform = await linuxPlatform();
  const reason = await runAgent(platform);
  if (reason.kind === "end") return 0;
  platform.announce(
    `drydock-agent: ${reason.kind === "violation" ? reason.violation.detail : reason.error.message}`,
  );
  return 1;
};

// Init ends the guest when the agent ends.
main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`drydock-agent: ${String(error)}\n`);
    process.exit(2);
  },
);
