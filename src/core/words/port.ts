export const MAX_PORT = 65_535;

/** Returns true for the number of a TCP port that a program can be asked to use: not 0, which takes a free one. */
export function isPort(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= MAX_PORT;
}
