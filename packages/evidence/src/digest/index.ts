export { digestBytes, digestOf, digestOfValue, sha256 } from "./digest.js";
