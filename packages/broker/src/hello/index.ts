export { type Binding, bindHello } from "./bind-hello.js";
export {
  type ClientHello,
  HELLO_LIMITS,
  type HelloLimits,
  type HelloReader,
  type HelloStep,
} from "./hello.js";
export { createHelloReader, createSecondHelloReader } from "./reader.js";
export { type AnswerReader, type AnswerStep, createAnswerReader } from "./server-answer.js";
