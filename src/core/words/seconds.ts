/** PM2's log has a resolution of one second. Times are in milliseconds since 1970. */

const SECOND_MS = 1000;

export function floorToSecond(ms: number): number {
  return Math.floor(ms / SECOND_MS) * SECOND_MS;
}

/** `2026-11-22T03:46:44Z` */
export function formatSecond(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
