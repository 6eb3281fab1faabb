export { createKernelBackend } from "./backend.js";
export { openResidentKernel, type ResidentKernel } from "./resident.js";
