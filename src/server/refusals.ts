import type { AuditRecord } from "../core/api/audit-record.ts";
import { SvcmError, type Ports } from "../core/index.ts";
import type { FastifyRequest } from "fastify";
import { REQUEST_CUT_OFF } from "./failure.ts";
import type { Route } from "./route.ts";

export interface RefusedAttempt extends Pick<AuditRecord, "action" | "source" | "target" | "actor"> {
  readonly address: string;
  readonly code: string;
}

export interface Refusals {
  /** Resolves when the attempt may be answered. Never rejects: a record that fails is logged. */
  refused(attempt: RefusedAttempt): Promise<void>;
  /** Writes the records of counted attempts, and resolves when every record is written. */
  close(): Promise<void>;
}

const WINDOW_MS = 1_000;
/** Further addresses are counted together. */
const MOST_ADDRESSES = 1_000;

interface Window {
  count: number;
  latest: RefusedAttempt;
  readonly timer: NodeJS.Timeout;
}

/** Writes at most one record a second for each address and code, with the number of attempts. */
export function refusalRecords({ audit, clock, host }: Ports): Refusals {
  const windows = new Map<string, Window>();
  const writing = new Set<Promise<void>>();
  const write = (attempt: RefusedAttempt, count: number): Promise<void> => {
    const done = append(attempt, count).finally(() => writing.delete(done));
    writing.add(done);
    return done;
  };
  const append = async ({ address, ...attempt }: RefusedAttempt, count: number): Promise<void> => {
    const timestamp = new Date(clock.now()).toISOString();
    const from = address === "" ? {} : { address };
    const record = { id: host.randomId(), timestamp, ...attempt, ...from, outcome: "refused" as const };
    await audit.append(count === 1 ? record : { ...record, count }).catch(() => undefined);
  };
  const open = (key: string, latest: RefusedAttempt): void => {
    const timer = setTimeout(() => void flush(key, true), WINDOW_MS).unref();
    windows.set(key, { count: 0, latest, timer });
  };
  const flush = async (key: string, goesOn: boolean): Promise<void> => {
    const window = windows.get(key);
    windows.delete(key);
    if (window === undefined || window.count === 0) return;
    if (goesOn) open(key, window.latest);
    await write(window.latest, window.count);
  };
  return {
    async refused(attempt) {
      const known = windows.has(keyOf(attempt)) || windows.size < MOST_ADDRESSES;
      const counted = known ? attempt : { ...attempt, address: "" };
      const key = keyOf(counted);
      const window = windows.get(key);
      if (window === undefined) {
        open(key, counted);
        return await write(counted, 1);
      }
      window.count += 1;
      window.latest = counted;
    },
    async close() {
      for (const { timer } of windows.values()) clearTimeout(timer);
      await Promise.all([...windows.keys()].map((key) => flush(key, false)));
      await Promise.all(writing);
    },
  };
}

function keyOf({ address, code }: RefusedAttempt): string {
  return `${address} ${code}`;
}

/** Records a request without a valid token, or one that could have changed something, unless its operation ran. */
export function attemptOf(request: FastifyRequest, error: unknown): RefusedAttempt | undefined {
  if (!(error instanceof SvcmError) || request.hasRun || error.body.code === REQUEST_CUT_OFF) return undefined;
  const { row } = request.routeOptions.config;
  const isOfToken = error.kind === "UNAUTHORIZED" || error.kind === "RATE_LIMITED";
  if (!isOfToken && !mayChange(row, error)) return undefined;
  return { action: actionOf(row), source: "http", address: request.address, code: error.body.code ?? error.kind };
}

export function hasRunToChange({ hasRun, routeOptions }: FastifyRequest): boolean {
  const { row } = routeOptions.config;
  return hasRun && row !== undefined && "operation" in row && row.operation.access === "write";
}

/** A WebSocket accepts actions, so opening one from another site is an attempt to act. */
function mayChange(row: Route | undefined, { kind }: SvcmError): boolean {
  if (row === undefined) return false;
  return "socket" in row ? kind === "FORBIDDEN" : "operation" in row && row.operation.access === "write";
}

function actionOf(row: Route | undefined): string {
  if (row === undefined) return "request";
  if ("operation" in row) return row.operation.id;
  if ("socket" in row) return "stream.open";
  return "content" in row ? `${row.content}.read` : "request";
}
