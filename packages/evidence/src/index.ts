export { DrydockError, type DrydockErrorOptions, isDrydockError } from "./errors.js";
