export {
  DIRECTIONS,
  type Direction,
  type Effect,
  type Output,
  type Scheduled,
  type ToxicAttributes,
  type ToxicEvent,
  type ToxicState,
  type ToxicType,
} from "./model.js";
export { startToxic, stepToxic } from "./step.js";
