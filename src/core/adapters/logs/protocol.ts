/** Values of environments and paths of log files never leave the worker. */
import type { ErrorCode } from "../../api/code.ts";
import type { LogsResponse } from "../../api/logs.ts";
import type { ErrorKind } from "../../errors.ts";
import type { Place } from "../../logs/cursor.ts";
import type { LogBatch, LogFilter, LogQuery } from "../../ports/logs.ts";
import type { PackedLines } from "./packed.ts";

export interface WorkerData {
  readonly home: string;
  /** Folders outside PM2_HOME and the apps that may hold logs. */
  readonly folders: readonly string[];
  /** Signs cursors. */
  readonly key: Uint8Array;
}

export type Call =
  /** `upTo` is the position where a watch began. */
  | { readonly method: "read"; readonly query: LogQuery; readonly upTo?: readonly Place[] | undefined }
  /** Begins a watch, or joins one that others share. The batches after the response belong to the watch. */
  | { readonly method: "watch"; readonly key: string; readonly filter: LogFilter; readonly isWhole: boolean }
  | { readonly method: "taken" | "leave"; readonly key: string };

export interface Request {
  readonly id: number;
  readonly call: Call;
  /** Secrets that svcm reads from files. */
  readonly secrets: readonly string[];
}

export interface Failure {
  readonly kind: Extract<ErrorKind, "LOGS_FAILED" | "PM2_FAILED" | "PROCESS_NOT_FOUND" | "INVALID_REQUEST">;
  readonly code: ErrorCode;
  readonly details: string;
}

type Packed<T> = Omit<T, "lines"> & { readonly lines: readonly PackedLines[] };

export type Page = Packed<LogsResponse>;

export type Response =
  | { readonly id: number; readonly page: Page }
  /** The positions where the lines of a watch begin. */
  | { readonly id: number; readonly places: readonly Place[] }
  | { readonly id: number; readonly failure: Failure }
  /** A search or a watch is still in progress. */
  | { readonly isAlive: true }
  | { readonly key: string; readonly batch: Packed<Omit<LogBatch, "begin">> };

export class LogFailure extends Error {
  override readonly name = "LogFailure";
  readonly failure: Failure;

  constructor(kind: Failure["kind"], code: ErrorCode, details: string) {
    super(details);
    this.failure = { kind, code, details };
  }
}
