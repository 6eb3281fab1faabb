/** Guard: one more connection is taken only below the limit, so that nothing grows with demand. */
export const hasRoom = (live: number, maxConnections: number): boolean => live < maxConnections;
