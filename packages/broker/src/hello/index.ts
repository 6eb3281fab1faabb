export { bindHello } from "./bind-hello.js";
export {
  type ClientHello,
  HELLO_LIMITS,
  type HelloReader,
} from "./hello.js";
export { createHelloReader, createSecondHelloReader } from "./reader.js";
export { createAnswerReader } from "./server-answer.js";
