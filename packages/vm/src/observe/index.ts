export {
  type DescriptorFact,
  type FileIdentity,
  identifyFile,
  type KernelObservation,
  observeKernel,
} from "./kernel.js";
export type { DescriptorKind, MountFact, StatusFacts } from "./parse.js";
export {
  type Comparison,
  compareKernel,
  compareVmm,
  fixedDevices,
  type SealedDevice,
  type SealedPlace,
  type SealedTopology,
} from "./topology.js";
export { digestTree, observeVmm, type VmmObservation } from "./vmm.js";
