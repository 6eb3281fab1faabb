/** Node reads these and nothing else of the environment: nothing of the user's reaches a process. */
const NODE_ENVIRONMENT: Readonly<Record<string, string>> = {
  LANG: "C.UTF-8",
  NODE_NO_WARNINGS: "1",
};

export const CONTROLLER_ENVIRONMENT = NODE_ENVIRONMENT;
export const PORT_ENVIRONMENT = NODE_ENVIRONMENT;
export const EGRESS_ENVIRONMENT = NODE_ENVIRONMENT;
export const REAPER_ENVIRONMENT = NODE_ENVIRONMENT;
