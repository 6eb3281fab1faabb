import * as z from "zod/mini";
import { successOf } from "../adapters/pfsense-alias-description/index.js";
import { areInOrder } from "./are-in-order.js";
import { historyRefusal } from "./refusal.js";
import type { HistorySource } from "./source.js";

/** As many as pfSense keeps unless it is told otherwise. The first is the one that is looked for. */
const ROW_LIMIT = 30;

/** Far above "somebody@192.0.2.1 (Local Database): Firewall: Rules - saved/edited a firewall rule." */
const MAX_DESCRIPTION_LENGTH = 4_096;

/** Such as "23.3", or "?" where the appliance doesn't know. */
const MAX_VERSION_LENGTH = 64;

const natural = z.int().check(z.minimum(0));

/** As pfSense-pkg-RESTAPI 2.10 gives one out (its model ConfigHistoryRevision). */
const revisionSchema = z.strictObject({
  /** Its place in the list. */
  id: natural,
  /** Seconds since 1970, and 0 for one that came with the appliance: its name on the disk. */
  time: natural,
  description: z.string().check(z.maxLength(MAX_DESCRIPTION_LENGTH)),
  version: z.string().check(z.maxLength(MAX_VERSION_LENGTH)),
  /** Bytes; 0 where the appliance couldn't tell. */
  filesize: natural,
});

const answerSchema = successOf(z.array(revisionSchema).check(z.maxLength(ROW_LIMIT)));

/** pfSense's own history of its configuration, over the REST API v2 of pfSense-pkg-RESTAPI. */
export const pfsenseRevisions = Object.freeze<HistorySource>({
  path: "/api/v2/diagnostics/config_history/revisions",
  query: Object.freeze({ limit: ROW_LIMIT }),
  headOf: ({ status, body }) => {
    if (status !== 200) throw historyRefusal("HISTORY_REFUSED");
    const parsed = answerSchema.safeParse(body);
    if (!parsed.success) throw historyRefusal("HISTORY_INVALID");
    const { data: revisions } = parsed.data;
    const [newest] = revisions;
    if (newest === undefined) throw historyRefusal("HISTORY_EMPTY");
    if (!areInOrder(revisions)) throw historyRefusal("HISTORY_DISORDERED");
    // The appliance throws a revision without bytes away when it next tidies up.
    if (newest.filesize === 0) throw historyRefusal("HISTORY_UNRESTORABLE");
    const { id: _, ...head } = newest;
    return head;
  },
});
