export { type Controller, detectHierarchies, type Hierarchies, type Hierarchy } from "./detect.js";
export { ioLimitFor } from "./disk.js";
export {
  type Cgroup,
  type CgroupPart,
  type CgroupUsage,
  createCgroup,
  joinFiles,
  membersOf,
  missingMemberships,
  planCgroup,
  readLimits,
  readUsage,
} from "./group.js";
export {
  type CgroupLimits,
  type EffectiveLimits,
  type IoLimit,
  limitDifferences,
} from "./limits.js";
export { removeCgroup } from "./remove.js";
export { type CgroupSelfTest, selfTestCgroup } from "./self-test.js";
