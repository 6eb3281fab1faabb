import { appendFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { openContractStoreWithHooks } from "../rehearsal/index.js";
import { AFTER, confirmationOf, termsFor, verifier } from "./contracts.js";
import { STORE_ID, STORE_KEY } from "./stores.js";

/**
 * Takes contract after contract forward and back until it is killed, by its parent or by itself at
 * one point of one write. A line in `sends` stands for a request that left; a byte on standard
 * output says that a call has returned.
 */
const [directory, name, write, point] = process.argv.slice(2);
if (directory === undefined || name === undefined) {
  throw new Error("usage: kill-child DIRECTORY NAME [WRITE POINT]");
}

const store = openContractStoreWithHooks({
  directory: join(directory, "store"),
  storeId: STORE_ID,
  key: STORE_KEY,
  clock: Date.now,
  hooks:
    point === undefined
      ? {}
      : { [point]: (at: string) => at === write && process.kill(process.pid, "SIGKILL") },
});

const told = <T>(result: T): T => {
  writeSync(1, ".");
  return result;
};
const send = (contract: string, way: string): void => {
  appendFileSync(join(directory, "sends"), `${contract} ${way}\n`);
};

for (let index = 0; ; index += 1) {
  const id = `${name}-${index}`;
  const created = told(store.create(termsFor(id, { at: store.now(), target: id })));
  const prepared = told(store.markPrepared(created));
  const confirmed = told(store.confirm(prepared, confirmationOf(prepared), verifier));
  const executing = told(store.acquireExecuting(confirmed));
  send(id, "forward");
  const verified = told(store.sealVerified(executing, { fingerprint: AFTER, locator: 7 }));
  const rollingBack = told(store.beginRollback(verified));
  send(id, "back");
  told(store.sealRolledBack(rollingBack, { locator: 7 }));
}
