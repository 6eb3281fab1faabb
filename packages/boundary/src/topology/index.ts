export { parseTopology, TOPOLOGY_SCHEMA, topologyJson } from "./file.js";
export { type Planned, plannedTopology } from "./planned.js";
