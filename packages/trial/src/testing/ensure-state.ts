import { ensureState } from "../launcher/home.js";

/** One of several that prepare the same new state directory at the same moment, as often as told. */
process.on("message", async ({ state, at }: { readonly state: string; readonly at: number }) => {
  while (Date.now() < at);
  try {
    const { madeKeys, environmentKey } = await ensureState(state, new Date());
    process.send?.({ madeKeys, environmentKey: Buffer.from(environmentKey).toString("hex") });
  } catch (error) {
    process.send?.({ failed: String(error) });
  }
});
process.send?.("ready");
