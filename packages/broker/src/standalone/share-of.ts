/**
 * Guard: what one of several processes may use of a limit, by its number from 1. The shares add up
 * to the limit, so that all of them together keep to it without asking each other.
 */
export const shareOf = (limit: number, processes: number, number: number): number =>
  Math.floor(limit / processes) + (number <= limit % processes ? 1 : 0);
