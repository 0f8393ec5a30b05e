/** `03:00` within a day, else `2026-11-29 03:00`, as a clock in the zone shows it. */
export function zonedTime(atMs: number, nowMs: number, zone: string): string {
  const text = new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone,
    dateStyle: "short",
    timeStyle: Math.floor(atMs / 1000) % 60 === 0 ? "short" : "medium",
  }).format(atMs);
  return Math.abs(atMs - nowMs) < DAY_MS ? text.slice(text.indexOf(" ") + 1) : text;
}

const DAY_MS = 86_400_000;
