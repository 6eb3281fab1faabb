export { type Chance, chanceOf, draw, drawBetween } from "./generator.js";
