export { type ProbeOptions, type ProbeReport, runProbes } from "./run.js";
export { ranked, SAMPLE_SIZE } from "./sample.js";
