export { type ApiAnswer, refusalAnswer, success, unexpectedError } from "./envelope.js";
export { ApiRefusal, refuse, refuseValue } from "./refusal.js";
