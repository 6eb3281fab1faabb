export { createDockerBackend } from "./docker/backend.js";
export { parseIpAnswer } from "./kernel/ip-answer.js";
export { type Link, parseLinks } from "./kernel/links.js";
export { type KernelView, type Observation, observe, observeTopology } from "./observe.js";
export type {
  ContainerSpec,
  DeploymentBackend,
  EngineAuthority,
  EngineContainer,
  EngineEvent,
  EngineIdentity,
  EngineNetwork,
  NetworkSpec,
} from "./port.js";
