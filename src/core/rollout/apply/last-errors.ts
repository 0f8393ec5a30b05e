/** The last errors of a failed app, and the holder of a port that it calls taken. */
import { type Caller, isGranted } from "../../access/operation.ts";
import type { ReleaseFailure } from "../../api/rollout.ts";
import type { HasMachine } from "../../files/ports.ts";
import { lastErrorBlock } from "../../logs/error-block.ts";
import type { HasLogs, HasProcessLogs } from "../../logs/port-logs.ts";
import type { HasProcesses } from "../../pm2/port-processes.ts";
import type { HasWorkspace } from "../../project/port-repository.ts";
import { findTakenPort } from "../../running/symptoms.ts";
import { cutText } from "../../words/text.ts";
import { floorToSecond } from "../../words/time.ts";

const MAX_READ_LINES = 50;
const MAX_LINES = 3;
const MAX_LINE_LENGTH = 200;

type Evidence = Pick<ReleaseFailure, "errorLines" | "port">;

/**
 * Returns what the processes of an app have written since a step began, and the holder of a port that they call taken. Call it
 * before a revert: afterwards the processes may be gone, and a port may have another holder.
 */
export async function readEvidence(
  ports: HasLogs & HasMachine & HasProcesses & HasProcessLogs & HasWorkspace,
  { grants }: Pick<Caller, "grants">,
  { app, sinceMs }: { readonly app: string; readonly sinceMs: number },
): Promise<Evidence> {
  if (!isGranted(grants, "logs") || app === "") return { errorLines: [] };
  const { lines, hasOlder } = await readErrorLines(ports, app, sinceMs);
  const port = lines.length === 0 ? undefined : await findHolder(ports, app, lines);
  return { errorLines: lastErrorLines(lines, hasOlder), ...(port !== undefined && { port }) };
}

interface Written {
  readonly lines: readonly string[];
  readonly hasOlder: boolean;
}

/** Without secrets. An unreadable log must not hide the failure. */
async function readErrorLines(
  { logs, processes, processLogs }: HasLogs & HasProcesses & HasProcessLogs,
  app: string,
  since: number,
): Promise<Written> {
  const query = { app, stream: "err", since, limit: MAX_READ_LINES, isBounded: true } as const;
  const { lines, older } = await logs.read(query).catch(() => ({ lines: [], older: null }));
  const logged = lines.map(({ text }) => text.split("\n", 1).join()).filter((line) => line.trim() !== "");
  if (logged.length > 0) return { lines: logged, hasOlder: older !== null };
  const written = await readWritten({ processes }, app, since).catch(() => ({ lines: [], hasOlder: false }));
  if (written.lines.length > 0) return written;
  const early = await processLogs
    .readEarlyErrors({ name: app, fromMs: floorToSecond(since), upToMs: Infinity })
    .catch(() => []);
  return { lines: early.length === 0 ? early : await processes.scrub(early).catch(() => []), hasOlder: false };
}

/** From what PM2 has published, if no log keeps it. */
async function readWritten({ processes }: HasProcesses, app: string, since: number): Promise<Written> {
  const own = (await processes.list()).filter(({ name }) => name === app);
  const written = await Promise.all(own.map((one) => processes.writtenErrors(one)));
  const newest = written.flatMap((one) => (one !== undefined && one.writtenMs >= since ? one.lines : []));
  const lines = await processes.scrub(newest.slice(-MAX_READ_LINES));
  return { lines, hasOlder: newest.length > MAX_READ_LINES };
}

async function findHolder(
  ports: HasMachine & HasProcesses & HasWorkspace,
  app: string,
  errorLines: readonly string[],
): Promise<ReleaseFailure["port"]> {
  const all = await ports.processes.list().catch(() => []);
  const listeners = await ports.machine.listeners().catch(() => undefined);
  const own = all.filter(({ name }) => name === app);
  const { pm2Home } = ports.workspace;
  const taken = findTakenPort({ own, all, errorLines, listeners: listeners ?? [], pm2Home });
  if (taken === undefined) return undefined;
  const { port, pid, program, owner, formerApp } = taken;
  return { port, pid, program, app: owner?.name ?? null, ...(formerApp !== null && { formerApp }) };
}

/** The first line of the last error, and what the app wrote after it. */
export function lastErrorLines(texts: readonly string[], hasOlder = false): string[] {
  const all = texts.map((text) => ({ text }));
  const { reason, hasError, lines } = lastErrorBlock(all, hasOlder);
  if (reason === undefined) return [];
  const at = hasError ? lines.findLastIndex((line) => line.startsWith(reason)) : -1;
  return (at < 0 ? lines.slice(-MAX_LINES) : lines.slice(at, at + MAX_LINES)).map((line) =>
    cutText(line, MAX_LINE_LENGTH),
  );
}
