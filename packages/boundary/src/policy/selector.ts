import type { LabelSelector } from "../model/index.js";

/** Everything under it is what this program itself writes on networks and containers. */
export const RESERVED_LABEL_PREFIX = "dev.drydock.";

/** One label, exactly: nothing in it means more than itself. */
export const SELECTOR_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}=[!-~]{1,128}$/;

/** For a text that the schema accepted; the key has no `=`. */
export const readSelector = (text: string): LabelSelector => {
  const at = text.indexOf("=");
  return { key: text.slice(0, at), value: text.slice(at + 1) };
};

export const formatSelector = ({ key, value }: LabelSelector): string => `${key}=${value}`;

/** Whether labels say exactly this. */
export const selects = (
  { key, value }: LabelSelector,
  labels: Readonly<Record<string, string>>,
): boolean => Object.hasOwn(labels, key) && labels[key] === value;
