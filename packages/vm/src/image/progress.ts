/** What a build is doing, for a progress line; `detail` is safe to print. */
export interface Progress {
  readonly step: "plan" | "wait" | "fetch" | "unpack" | "compile" | "write" | "verify" | "reuse";
  readonly detail: string;
}

export type Report = (progress: Progress) => void;

export const silent: Report = () => undefined;
