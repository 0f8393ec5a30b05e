/** Values of environments never leave the worker, and neither do paths of log files. */
import type { ErrorCode } from "../../api/code.ts";
import type { LogsResponse } from "../../api/logs.ts";
import type { ErrorKind } from "../../errors.ts";
import type { Place } from "../../logs/cursor.ts";
import type { LogBatch, LogFilter, LogQuery } from "../../ports/logs.ts";
import type { PackedLines } from "./packed.ts";

export interface WorkerData {
  readonly home: string;
  /** Folders outside of PM2_HOME and of the apps that may hold logs. */
  readonly folders: readonly string[];
  /** Signs cursors. */
  readonly key: Uint8Array;
}

export type Call =
  /** `upTo` is where a watch began. */
  | { readonly method: "read"; readonly query: LogQuery; readonly upTo?: readonly Place[] | undefined }
  /** Begins a watch, or continues one that others share: its batches from now on follow the answer. */
  | { readonly method: "watch"; readonly key: string; readonly filter: LogFilter; readonly isWhole: boolean }
  | { readonly method: "taken" | "leave"; readonly key: string };

export interface Request {
  readonly id: number;
  readonly call: Call;
  /** Those that svcm knows from files. */
  readonly secrets: readonly string[];
}

export interface Failure {
  readonly kind: Extract<ErrorKind, "LOGS_FAILED" | "PM2_FAILED" | "PROCESS_NOT_FOUND" | "INVALID_REQUEST">;
  readonly code: ErrorCode;
  readonly details: string;
}

type Packed<T> = Omit<T, "lines"> & { readonly lines: PackedLines };

export type Page = Packed<LogsResponse>;

export type Response =
  | { readonly id: number; readonly page: Page }
  /** The places where the lines of a watch begin. */
  | { readonly id: number; readonly places: readonly Place[] }
  | { readonly id: number; readonly failure: Failure }
  /** A search or a watch goes on. */
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
