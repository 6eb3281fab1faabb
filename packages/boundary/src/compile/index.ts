export { compileFloor } from "./floor.js";
export { type AuthoredLines, platformLines, scenarioLines } from "./lines.js";
export { compilePlatform } from "./platform.js";
export { compileScenario } from "./scenario.js";
