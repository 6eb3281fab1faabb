import { ABOUT_A_REAL_APPLIANCE, type Rehearsed, reasonsOf } from "./document.js";

const REPORT_SCHEMA = "drydock.acceptance-report/v1";

/** The whole report as one JSON object. Single requests and steps are in the evidence's log. */
export const acceptanceJson = ({ report, ...asked }: Rehearsed): string => {
  const { passed, target, authorises, counts, exit, unexpected, scenarios } = report;
  const document = {
    schema: REPORT_SCHEMA,
    ...asked,
    ...{ target, authorises, realAppliance: ABOUT_A_REAL_APPLIANCE, passed, counts },
    scenarios: scenarios.map(({ records, ...scenario }) => ({
      ...scenario,
      reasons: reasonsOf({ records, ...scenario }),
    })),
    ...{ exit, unexpected },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
};
