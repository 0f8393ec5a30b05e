/**
 * The disk space of a month of history. One day of a busy service is recorded as the recorder does, and extrapolated to
 * seven days of steps and thirty days of minutes. The goal is 40 MB.
 *
 * node --import tsx bench/history.ts [processes]
 */
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeHistoryFiles } from "../src/core/history/history-files.node.ts";
import { hourOf, partName } from "../src/core/history/parts.ts";
import { sealHour } from "../src/core/history/recorder.ts";
import { formatStep, STEP_MS, type Recorded, type Step } from "../src/core/history/step.ts";

const GOAL_MB = 40;
const HOUR_MS = 3_600_000;
const DAYS = { steps: 7, minutes: 30 };
const [count = 20] = process.argv.slice(2).map(Number);

const folder = mkdtempSync(join(tmpdir(), "svcm-bench-history-"));
try {
  const files = nodeHistoryFiles(folder);
  const memory = Array.from({ length: count }, (_, index) => (60 + 10 * index) * 2 ** 20);
  const dayMs = Date.UTC(2030, 0, 1);
  const before = process.cpuUsage();
  await files.withLock(async () => {
    for (let hourMs = dayMs; hourMs < dayMs + 24 * HOUR_MS; hourMs += HOUR_MS) {
      const steps = Array.from({ length: HOUR_MS / STEP_MS }, (_, at) => stepAt(hourMs + at * STEP_MS, memory));
      const hour = hourOf(hourMs);
      writeFileSync(join(folder, partName(hour, "open")), steps.map((step) => `${formatStep(step)}\n`).join(""));
      await sealHour(files, hour);
    }
  });
  const { user } = process.cpuUsage(before);
  const sizeOf = (isWanted: (name: string) => boolean): number =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".gz") && isWanted(name))
      .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) / 1e6;
  const steps = sizeOf((name) => !name.includes("minutes"));
  const minutes = sizeOf((name) => name.includes("minutes"));
  const month = DAYS.steps * steps + DAYS.minutes * minutes;
  console.log(
    `${count} processes, 30 days: ${month.toFixed(1)} MB, goal ${GOAL_MB}, ${month <= GOAL_MB ? "met" : "missed"} ` +
      `(a day: steps ${steps.toFixed(2)} MB, minutes ${minutes.toFixed(2)} MB; closing an hour ${(user / 24_000).toFixed(0)} ms CPU)`,
  );
} finally {
  rmSync(folder, { recursive: true });
}

/** Memory changes in 40 % of the steps, and a process writes in half of them. */
function stepAt(atMs: number, memory: number[]): Step {
  const processes: Record<string, readonly Recorded[]> = {};
  for (const [index, bytes] of memory.entries()) {
    if (Math.random() < 0.4) memory[index] = Math.max(2 ** 24, bytes + Math.round((Math.random() - 0.5) * 512) * 4096);
    const writes = Math.random() < 0.5 ? Math.round(Math.random() * 200_000) : 0;
    processes[`service-${index}/${index}`] = [Math.round(Math.random() * 300) / 10, memory[index] ?? 0, 0, writes, 3];
  }
  return { atMs, host: [Math.round(Math.random() * 1000) / 10, 51.2, 40.3], processes };
}
