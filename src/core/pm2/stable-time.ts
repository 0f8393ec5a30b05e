/** PM2 itself considers a process stable after this time. */
export const STABLE_MS = 1000;
