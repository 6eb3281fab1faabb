export { doctorProbes, type Probe, type ProbeOptions } from "./probes.js";
