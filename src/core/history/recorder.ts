import { type HasTelemetry, watchMachine } from "../metrics/telemetry.ts";
import { type HasClock, FileError } from "../files/ports.ts";
import type { RecorderStart } from "../api/names.ts";
import { failureCode } from "../api/errors.ts";

import type { Recorder, HistoryFiles, HasHistoryFiles } from "./port-history.ts";
import { LIMITS, hourOf, partName, findOutdatedParts, type PartKind } from "./parts.ts";
import { HEADER_LINE, formatStep, MINUTE_MS, STEP_MS, toStep, parseStep } from "./step.ts";
import { aggregateMinutes } from "./columns.ts";

/** Another process may be recording. */
const RETRY_MS = 60_000;

export function createRecorder(ports: HasClock & HasHistoryFiles & HasTelemetry): Recorder {
  return new HistoryRecorder(ports);
}

class HistoryRecorder implements Recorder {
  readonly #ports: HasClock & HasHistoryFiles & HasTelemetry;
  #running: { readonly stop: AbortController; readonly ended: Promise<void>; readonly by: RecorderStart } | undefined;
  #problem: Recorder["state"]["problem"] = null;
  #hour: string | undefined;

  constructor(ports: HasClock & HasHistoryFiles & HasTelemetry) {
    this.#ports = ports;
  }

  get state(): Recorder["state"] {
    const { by = null } = this.#running ?? {};
    return { on: by !== null, by, problem: this.#problem };
  }

  start(by: RecorderStart): void {
    if (this.#running !== undefined) return;
    const stop = new AbortController();
    this.#running = { stop, ended: this.#run(stop.signal), by };
  }

  async stop(): Promise<void> {
    const running = this.#running;
    running?.stop.abort();
    await running?.ended;
    if (this.#running === running) this.#running = undefined;
    this.#problem = null;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock, historyFiles } = this.#ports;
    while (!signal.aborted) {
      await this.#attempt(() => historyFiles.withLock(() => this.#record(signal)));
      await clock.sleep(signal.aborted ? 0 : RETRY_MS, signal).catch(() => undefined);
    }
  }

  async #record(signal: AbortSignal): Promise<void> {
    this.#hour = undefined;
    for await (const sample of watchMachine(this.#ports, { intervalMs: STEP_MS, quietListMs: MINUTE_MS }, signal)) {
      const step = toStep(sample);
      const isStored = await this.#attempt(() => this.#append(hourOf(step.atMs), formatStep(step)));
      if (isStored) this.#problem = null;
    }
  }

  /** A heading is the first line of each hour, and of each start of a recorder. Past hours are then closed. */
  async #append(hour: string, line: string): Promise<void> {
    const { historyFiles } = this.#ports;
    const isNew = hour !== this.#hour;
    await historyFiles.append(partName(hour, "open"), isNew ? [HEADER_LINE, line] : [line]);
    this.#hour = hour;
    if (!isNew) return;
    const open = (await historyFiles.list()).filter((part) => part.kind === "open" && part.hour !== hour);
    for (const part of open) await sealHour(historyFiles, part.hour);
    for (const part of findOutdatedParts(await historyFiles.list(), LIMITS)) await historyFiles.remove(part.name);
  }

  /** A failure never stops the sampler. */
  async #attempt(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      const code = error instanceof FileError ? error.code : failureCode(error);
      const details = error instanceof Error ? error.message : "This is a defect in svcm.";
      this.#problem = { code, details };
      return false;
    }
  }
}

/**
 * The open file is removed last, so a crash loses nothing: the next call finds the same lines in both files and keeps
 * one copy. If the clock returns to a closed hour, its lines are merged in the same way.
 */
export async function sealHour(files: HistoryFiles, hour: string): Promise<void> {
  const sealed = await readPartLines(files, hour, "steps");
  const open = await readPartLines(files, hour, "open");
  const steps = [...new Set([...sealed, ...open])].flatMap((line) => parseStep(line) ?? []);
  if (steps.length > 0) {
    const sorted = steps.toSorted((a, b) => a.atMs - b.atMs);
    await files.seal(partName(hour, "steps"), [HEADER_LINE, ...sorted.map(formatStep)]);
    await files.seal(partName(hour, "minutes"), [HEADER_LINE, ...aggregateMinutes(sorted).map(formatStep)]);
  }
  await files.remove(partName(hour, "open"));
}

async function readPartLines(files: HistoryFiles, hour: string, kind: PartKind): Promise<readonly string[]> {
  const name = partName(hour, kind);
  const exists = (await files.list()).some((part) => part.name === name);
  return exists ? (await files.read(name)).lines : [];
}
