/** Colours, or none: NO_COLOR (no-color.org), a dumb terminal and a pipe switch them off. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  warn(text: string): string;
}

const wrap =
  (open: number, close: number) =>
  (text: string): string =>
    `\u001b[${open}m${text}\u001b[${close}m`;
const plain = (text: string): string => text;

const COLOURED: Style = {
  bold: wrap(1, 22),
  dim: wrap(2, 22),
  good: wrap(32, 39),
  bad: wrap(31, 39),
  warn: wrap(33, 39),
};
const PLAIN: Style = { bold: plain, dim: plain, good: plain, bad: plain, warn: plain };

export const chooseStyle = (
  isTerminal: boolean,
  environment: Readonly<Record<string, string | undefined>>,
): Style => {
  const refused = (environment["NO_COLOR"] ?? "") !== "" || environment["TERM"] === "dumb";
  return isTerminal && !refused ? COLOURED : PLAIN;
};
