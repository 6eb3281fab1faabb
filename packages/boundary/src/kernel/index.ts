export { createKernelBackend } from "./backend.js";
