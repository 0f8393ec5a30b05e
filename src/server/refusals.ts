import type { AuditRecord } from "../core/api/audit-record.ts";
import type { ErrorCode } from "../core/api/code.ts";
import { failureCode, SvcmError, type Identity, type Operation, type Ports } from "../core/index.ts";
import type { FastifyRequest } from "fastify";
import { REQUEST_CUT_OFF } from "./failure.ts";
import type { Route } from "./route.ts";

export interface RefusedAttempt extends Pick<AuditRecord, "action" | "source" | "target" | "actor"> {
  readonly address: string;
  readonly code: ErrorCode;
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
export class Refusals {
  readonly #ports: Pick<Ports, "audit" | "clock" | "host">;
  readonly #windows = new Map<string, Window>();
  readonly #writing = new Set<Promise<void>>();

  constructor(ports: Pick<Ports, "audit" | "clock" | "host">) {
    this.#ports = ports;
  }

  /** Records an attempt; resolves when it may be answered. Never rejects: a record that fails is logged. */
  async refused(attempt: RefusedAttempt): Promise<void> {
    const known = this.#windows.has(keyOf(attempt)) || this.#windows.size < MOST_ADDRESSES;
    const counted = known ? attempt : { ...attempt, address: "" };
    const key = keyOf(counted);
    const window = this.#windows.get(key);
    if (window === undefined) {
      this.#open(key, counted);
      return await this.#write(counted, 1);
    }
    window.count += 1;
    window.latest = counted;
  }

  /** Writes the records of attempts that were only counted, and resolves when every record is written. */
  async close(): Promise<void> {
    for (const { timer } of this.#windows.values()) clearTimeout(timer);
    await Promise.all([...this.#windows.keys()].map((key) => this.#flush(key, false)));
    await Promise.all(this.#writing);
  }

  #open(key: string, latest: RefusedAttempt): void {
    const timer = setTimeout(() => void this.#flush(key, true), WINDOW_MS).unref();
    this.#windows.set(key, { count: 0, latest, timer });
  }

  async #flush(key: string, goesOn: boolean): Promise<void> {
    const window = this.#windows.get(key);
    this.#windows.delete(key);
    if (window === undefined || window.count === 0) return;
    if (goesOn) this.#open(key, window.latest);
    await this.#write(window.latest, window.count);
  }

  #write(attempt: RefusedAttempt, count: number): Promise<void> {
    const done = this.#append(attempt, count).finally(() => this.#writing.delete(done));
    this.#writing.add(done);
    return done;
  }

  async #append({ address, ...attempt }: RefusedAttempt, count: number): Promise<void> {
    const { audit, clock, host } = this.#ports;
    const timestamp = new Date(clock.now()).toISOString();
    const from = address === "" ? {} : { address };
    const record = { id: host.randomId(), timestamp, ...attempt, ...from, outcome: "refused" as const };
    await audit.append(count === 1 ? record : { ...record, count }).catch(() => undefined);
  }
}

function keyOf({ address, code, actor = "" }: RefusedAttempt): string {
  return `${address} ${code} ${actor}`;
}

/** Records a request without a valid token, or one that could have changed something, unless its operation ran. */
export function attemptOf(request: FastifyRequest, error: unknown): RefusedAttempt | undefined {
  if (!(error instanceof SvcmError) || error.body.code === REQUEST_CUT_OFF) return undefined;
  const { row } = request.routeOptions.config;
  const { address, hasRun, identity } = request;
  if (!isOfToken(error) && (hasRun || !mayChange(row, error))) return undefined;
  return { action: actionOf(row), source: "http", address, code: failureCode(error), ...actorOf(identity) };
}

/** The core refuses these before the operation begins, so they have no record yet. */
export function isOfToken({ kind, body: { code } }: SvcmError): boolean {
  return kind === "UNAUTHORIZED" || kind === "RATE_LIMITED" || code === "RIGHT_MISSING" || code === "TOKEN_LIMITED";
}

/** A record names its address in place of an anonymous caller. */
export function actorOf({ actor, role }: Identity): { readonly actor?: string } {
  return role === undefined || actor === undefined ? {} : { actor };
}

export function hasRunToChange({ hasRun, routeOptions }: FastifyRequest): boolean {
  const { row } = routeOptions.config;
  return hasRun && row !== undefined && "operation" in row && !isReading(row.operation);
}

/** A WebSocket accepts actions, so opening one from another site is an attempt to act. */
function mayChange(row: Route | undefined, { kind }: SvcmError): boolean {
  if (row === undefined) return false;
  return "socket" in row ? kind === "FORBIDDEN" : "operation" in row && !isReading(row.operation);
}

function isReading({ access }: Operation<never, unknown>): boolean {
  return access === "read" || access === "logs";
}

function actionOf(row: Route | undefined): string {
  if (row === undefined) return "request";
  if ("operation" in row) return row.operation.id;
  if ("socket" in row) return "stream.open";
  return "content" in row ? `${row.content}.read` : "request";
}
