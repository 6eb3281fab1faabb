export interface WindowStream {
  readonly rows?: number | undefined;
  readonly columns?: number | undefined;
}

/** What a terminal that doesn't say has (tty_ioctl(4): the kernel starts with 0 by 0). */
const USUAL = { rows: 24, cols: 80 } as const;

/**
 * How large a terminal is, in characters. A serial line, or a terminal that a program opened, has
 * no size until somebody sets one: such a one counts as the usual size.
 */
export const windowSize = ({ rows, columns }: WindowStream): { rows: number; cols: number } => ({
  rows: rows === undefined || rows < 1 ? USUAL.rows : rows,
  cols: columns === undefined || columns < 1 ? USUAL.cols : columns,
});
