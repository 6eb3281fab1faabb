import { Option } from "commander";

/** Told the exit status when a verb has ended. */
export type SetExit = (code: number) => void;

export const json = (): Option => new Option("--json", "print one JSON object on stdout");

/** For an option that may be given several times. */
export const collect = (value: string, previous: readonly string[] = []): readonly string[] => [
  ...previous,
  value,
];
