import type { Gate } from "./gate.js";
import type { Role } from "./live-run.js";
import type { Loss } from "./round.js";

type Task = Omit<Gate, "when">;

/** Every task on the way of a run that goes well, in order; commands run between the two halves. */
const TO_DRIVE: readonly Task[] = [
  { task: "armReaper" },
  { task: "propose" },
  { task: "sealSource" },
  { task: "openLog" },
  { task: "appendJournal" },
  { task: "approve" },
  { task: "reserve" },
  { task: "createSlot" },
  { task: "stageFiles" },
  { task: "commitIntent" },
  { task: "spawnVmm" },
  { task: "attest", variant: "start" },
  { task: "startGuest" },
  { task: "handshake" },
];
const FROM_DRIVE: readonly Task[] = [
  { task: "observe" },
  { task: "quiesce" },
  { task: "collectArtifacts" },
  { task: "attest", variant: "end" },
  { task: "revokeChannels" },
  { task: "checkpoint" },
  { task: "measureUsage" },
  { task: "stopGuest", variant: "orderly" },
  { task: "destroySlot" },
  { task: "compareSource" },
  { task: "settle" },
  { task: "endLog" },
  { task: "deriveVerdict" },
  { task: "conclude" },
  { task: "disarmReaper" },
];
const KILLING: readonly Task[] = [
  { task: "revokeChannels", killing: true },
  { task: "stopGuest", variant: "kill", killing: true },
  { task: "destroySlot", killing: true },
  { task: "conclude", killing: true },
];

type Place = Loss["at"];

const around = (tasks: readonly Task[]): readonly Gate[] =>
  tasks.flatMap((task): readonly Gate[] => [
    { ...task, when: "before" },
    { ...task, when: "after" },
  ]);

const WAY: readonly Place[] = [...around(TO_DRIVE), "drive", ...around(FROM_DRIVE)];

const placeOf = (when: Gate["when"], name: Task["task"], variant?: string): number =>
  WAY.findIndex(
    (place) =>
      place !== "drive" && place.when === when && place.task === name && place.variant === variant,
  );

const VMM_BORN = placeOf("after", "spawnVmm");
const ATTESTED = placeOf("after", "attest", "end");
const DOORS_SHUTTING = placeOf("before", "revokeChannels");
const GUEST_STOPPING = placeOf("before", "stopGuest", "orderly");
const PORT_DONE = placeOf("after", "stopGuest", "orderly");
const LOG_ENDED = placeOf("after", "endLog");
const CONCLUDED = placeOf("after", "conclude");
const PROPOSING = placeOf("before", "propose");
const PROPOSED = placeOf("after", "propose");
const LAST = WAY.length - 1;

const KILLABLE: readonly Role[] = [
  "launcher",
  "controller",
  "port",
  "portSupervisor",
  "reaper",
  "vmm",
];

/** Whether the controller lives on, and notices. */
const survives = (victim: Role): boolean => victim !== "controller" && victim !== "launcher";

const lives = (victim: Role, index: number): boolean => {
  switch (victim) {
    case "vmm":
      return index >= VMM_BORN && index <= GUEST_STOPPING;
    case "port":
    case "portSupervisor":
      return index <= GUEST_STOPPING;
    default:
      // After its very last task the run is over before anyone could look.
      return index < LAST;
  }
};

const livesWhileKilled = (victim: Role, { task, when }: Gate): boolean =>
  victim === "vmm" || victim === "port" || victim === "portSupervisor"
    ? task === "revokeChannels" || (task === "stopGuest" && when === "before")
    : true;

/** Every way to lose a process: each of them at each place where it lives. */
export const LOSSES: readonly Loss[] = KILLABLE.flatMap((victim) => [
  ...WAY.map((at, index) => ({ victim, at, index })).filter(({ index }) => lives(victim, index)),
  ...around(KILLING)
    .map((at) => ({ victim, at }))
    .filter(({ at }) => livesWhileKilled(victim, at)),
]);

/** What the ledger says of a run; UNKNOWN: it had not heard of it. */
export type Status = "INCOMPLETE" | "PASS" | "UNKNOWN";

/**
 * What the ledger may say of a run afterwards. Not INCOMPLETE is only what had already ended when the
 * process died, or was no longer needed: a run whose terminal record is written needs no reaper, a machine whose
 * doors are shut is about to be killed anyway. Two of them where the controller lives on and its
 * next step races with the news of the death: whether it proposes first, or shuts the doors first.
 */
export const statusesAfter = (loss: Loss): readonly Status[] => {
  const { victim, at } = loss;
  const index = WAY.indexOf(at);
  if (index === -1) return ["INCOMPLETE"];
  if (index < PROPOSING) return survives(victim) ? ["INCOMPLETE", "UNKNOWN"] : ["UNKNOWN"];
  switch (victim) {
    case "controller":
    case "launcher":
      if (index < PROPOSED) return ["UNKNOWN"];
      return index < CONCLUDED ? ["INCOMPLETE"] : ["PASS"];
    case "reaper":
      return index < LOG_ENDED ? ["INCOMPLETE"] : ["PASS"];
    case "port":
    case "portSupervisor":
    case "egress":
    case "egressSupervisor":
      return index < PORT_DONE ? ["INCOMPLETE"] : ["PASS"];
    case "vmm":
      // Nothing lies between these two: once it was seen whole for the last time, either may be first.
      if (index === ATTESTED || index === DOORS_SHUTTING) return ["INCOMPLETE", "PASS"];
      return index < ATTESTED ? ["INCOMPLETE"] : ["PASS"];
  }
};
