import { writeSync } from "node:fs";
import { openContractStore } from "../store/index.js";
import { AFTER, confirmationOf, termsFor, verifier } from "./contracts.js";
import { STORE_ID, STORE_KEY } from "./stores.js";

/** Takes one contract to EXECUTING, says so, and stays there until its input ends or it is killed. */
const [directory, contractId] = process.argv.slice(2);
if (directory === undefined || contractId === undefined) {
  throw new Error("usage: worker-child DIRECTORY CONTRACT");
}
const store = openContractStore({ directory, storeId: STORE_ID, key: STORE_KEY, clock: Date.now });
const prepared = store.markPrepared(
  store.create(termsFor(contractId, { at: store.now(), target: contractId })),
);
const executing = store.acquireExecuting(
  store.confirm(prepared, confirmationOf(prepared), verifier),
);
writeSync(1, "executing\n");
process.stdin.on("end", () => {
  store.sealVerified(executing, { fingerprint: AFTER, locator: 7 });
  store.close();
});
process.stdin.resume();
