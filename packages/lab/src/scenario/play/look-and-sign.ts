import { pfsenseAliasDescription as adapter, observe } from "@drydock/acceptance";
import type { Step } from "../model.js";
import type { Session } from "../session.js";
import type { Stage } from "./stage.js";

/**
 * Somebody reads the target over the API, signs what became of the contract, and hands it in.
 *
 * @throws DrydockError as reading and `reconcile` do
 */
export const lookAndSign = async (
  { store, executor }: Session,
  { operator, session, intent }: Stage,
  contractId: string,
  { outcome, flaw }: Pick<Extract<Step, { do: "sign" }>, "outcome" | "flaw">,
): Promise<void> => {
  const identity = adapter.naturalIdentity(adapter.parseIntent(intent));
  const found = await observe(adapter, session.read, identity);
  const evidence = operator.conclude(store.load(contractId), {
    ...{ outcome, found, flaw: flaw ?? null, issuedAt: store.now() },
  });
  executor.reconcile(contractId, evidence);
};
