export { BROKEN } from "../executor/testing/broken.js";
