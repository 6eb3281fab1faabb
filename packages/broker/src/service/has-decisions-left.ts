/** Guard: whoever asks in a loop makes receipts in a loop, and each is kept. */
export const hasDecisionsLeft = (made: number, maxDecisions: number): boolean =>
  made < maxDecisions;
