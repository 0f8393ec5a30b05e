import { cutText } from "../words/text.ts";
import { SvcmError } from "../api/errors.ts";
import type { Processes, HasProcesses } from "./port-processes.ts";
import type { ProcessRecord } from "./process-record.ts";
import type { Repository } from "./ports.ts";
import { createScrub, type Scrub } from "./scrub.ts";
import { readSecrets } from "./ecosystem-file.ts";
import { REDACTED, isSecretName } from "../secrets/redact.ts";

export async function listOrEmpty(processes: Pick<Processes, "list">): Promise<readonly ProcessRecord[]> {
  return (await listIfRunning(processes)) ?? [];
}

export function listIfRunning(processes: Pick<Processes, "list">): Promise<readonly ProcessRecord[] | undefined> {
  return ifRunning(() => processes.list());
}

/** `undefined` if PM2 is not running. */
export async function ifRunning<T>(read: () => Promise<readonly T[]>): Promise<readonly T[] | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isDown(error)) return undefined;
    throw error;
  }
}

/** No daemon runs, so neither does an app. After any other failure, it is not known what runs. */
export function isDown(error: unknown): boolean {
  return error instanceof SvcmError && error.body.code === "PM2_NOT_RUNNING";
}

/**
 * Removes the secrets of env files from custom metrics. While nothing says what is secret, as with a broken svcm.yaml, those
 * metrics are missing.
 * @throws {SvcmError} PM2_FAILED
 */
export async function listScrubbed(ports: Repository & HasProcesses): Promise<ProcessRecord[]> {
  const records = await ports.processes.list();
  if (records.every(({ customMetrics }) => Object.keys(customMetrics).length === 0)) return records;
  const scrub = await readScrub(ports);
  if (scrub === undefined) return records.map((record) => ({ ...record, customMetrics: {}, customMetricUnits: {} }));
  return records.map((record) => scrubMetrics(record, (text) => truncate(scrub(text))));
}

async function readScrub(ports: Repository): Promise<Scrub | undefined> {
  try {
    return createScrub(await readSecrets(ports, await ports.facts.runtimeContract()));
  } catch (error) {
    if (error instanceof SvcmError) return undefined;
    throw error;
  }
}

const MAX_TEXT_LENGTH = 200;

/** Numbers stay, because counters such as `auth failures` have secret-like names, too. */
export function scrubMetrics(record: ProcessRecord, scrub: (text: string) => string): ProcessRecord {
  if (Object.keys(record.customMetrics).length === 0) return record;
  const scrubValue = (name: string, value: string | number): string | number => {
    if (typeof value === "number") return value;
    return isSecretName(name) ? REDACTED : scrub(value);
  };
  const metrics = Object.entries(record.customMetrics).map(([name, value]) => [scrub(name), scrubValue(name, value)]);
  const units = Object.entries(record.customMetricUnits).map(([name, unit]) => [scrub(name), scrub(unit)]);
  return { ...record, customMetrics: Object.fromEntries(metrics), customMetricUnits: Object.fromEntries(units) };
}

/** Only for scrubbed text: cutting earlier could leave part of a secret, or hide the `@` after a password. */
export function truncate(text: string): string {
  return cutText(text, MAX_TEXT_LENGTH);
}
