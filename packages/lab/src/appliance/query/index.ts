export { matches } from "./filter.js";
export { isNumeric, looseEqual, typeOf } from "./loose.js";
export { paginate } from "./paginate.js";
