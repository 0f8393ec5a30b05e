/** Values of environments and paths of log files never leave the reader. */
import type { ErrorCode } from "../../api/issue.ts";
import type { LogsResponse } from "../../api/logs.ts";
import type { ErrorKind } from "../../api/errors.ts";
import type { LogPosition } from "../cursor.ts";
import type { LogBatch, LogFilter, LogQuery } from "../port-logs.ts";

export interface ReaderData {
  readonly home: string;
  readonly folders: readonly string[];
  readonly key: Uint8Array;
}

export type Call =
  | {
      readonly method: "read";
      readonly query: LogQuery;
      readonly upTo?: readonly LogPosition[] | undefined;
      /** No daemon runs, so only the files that its apps left can be read. */
      readonly isDown?: boolean;
    }
  /** Joins a watch if others share it. */
  | { readonly method: "watch"; readonly key: string; readonly filter: LogFilter; readonly isLossless: boolean }
  | { readonly method: "taken" | "leave"; readonly key: string };

export interface Request {
  readonly id: number;
  readonly call: Call;
  readonly secrets: readonly string[];
}

export interface Failure {
  readonly kind: Extract<ErrorKind, "LOGS_FAILED" | "PM2_FAILED" | "PROCESS_NOT_FOUND" | "INVALID_REQUEST">;
  readonly code: ErrorCode;
  readonly details: string;
}

type WithLines<T, Line> = Omit<T, "lines"> & { readonly lines: readonly Line[] };

export type Page<Line> = WithLines<LogsResponse, Line>;

export type Batch<Line> = WithLines<Omit<LogBatch, "begin">, Line>;

export type Response<Line> =
  | { readonly id: number; readonly page: Page<Line> }
  | { readonly id: number; readonly places: readonly LogPosition[] }
  | { readonly id: number; readonly failure: Failure }
  | { readonly isAlive: true }
  | { readonly key: string; readonly batch: Batch<Line> };

export function mapLines<From, To>(
  response: Response<From>,
  map: (lines: readonly From[]) => readonly To[],
): Response<To> {
  if ("page" in response) return { ...response, page: { ...response.page, lines: map(response.page.lines) } };
  if ("batch" in response) return { ...response, batch: { ...response.batch, lines: map(response.batch.lines) } };
  return response;
}

export class LogFailure extends Error {
  override readonly name = "LogFailure";
  readonly failure: Failure;

  constructor(kind: Failure["kind"], code: ErrorCode, details: string) {
    super(details);
    this.failure = { kind, code, details };
  }
}
