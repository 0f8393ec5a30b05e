/** Values of an environment never leave the reader of PM2's list. */
import type { Pm2Places } from "./find-pm2.ts";
import type { ErrorCode } from "../../api/issue.ts";
import type { Fields } from "../normalise.ts";
import type { ProcessIdentity, ProcessRecord } from "../process-record.ts";
import type { RenewedUnit } from "../port-daemons.ts";
import type { FormerDaemon, SavedRun, NextRun, RestoredProcess, WrittenErrors } from "../port-processes.ts";

export interface WorkerData {
  readonly socket: string;
  readonly salt: Uint8Array;
  readonly timeoutMs: number;
  /** The worker looks for PM2's code there, only when it needs the code. */
  readonly places: Pm2Places;
}

/** Calls that need no code of PM2. */
export type ReadCall =
  /** With the same salt, digests can be compared across links. */
  | { readonly method: "list"; readonly salt?: Uint8Array }
  | { readonly method: "scrub"; readonly texts: readonly string[] }
  | { readonly method: "unlisted" };

export type Call =
  | ReadCall
  /** The response has the ready calls so far. */
  | { readonly method: "ready"; readonly isListening?: boolean }
  | { readonly method: "written"; readonly pmId: number }
  /** Starts a daemon if none runs, and no app. */
  | { readonly method: "launch"; readonly folder: string }
  /** Starts a daemon if none runs. */
  | { readonly method: "restoreList" }
  | { readonly method: "drain" }
  | ActionCall
  | FileCall
  | RenewCall
  | StartCall;

export function isRead(call: Call): call is ReadCall {
  return call.method === "list" || call.method === "scrub" || call.method === "unlisted";
}

export type RenewCall = { readonly method: "renew" } & (
  | {
      readonly step: "begin";
      readonly node: string;
      readonly former: FormerDaemon;
      readonly unit: RenewedUnit | null;
    }
  | { readonly step: "move"; readonly name: string }
  | { readonly step: "end" | "return" }
);

export interface StartCall {
  readonly method: "startApp";
  /** PM2 takes the definition and starts nothing. */
  readonly isAtRest?: boolean;
  /** Starts no new daemon. */
  readonly needsDaemon?: boolean;
  readonly name: string;
  readonly apps: readonly Fields[];
  readonly folder: string;
}

export type FileCall =
  | { readonly method: "saveRecords"; readonly path: string; readonly pmIds: readonly number[] }
  | { readonly method: "restore"; readonly saved: SavedRun; readonly pmId: number }
  | { readonly method: "saveList" };

export interface ActionCall {
  readonly method: "start" | "stop" | "restart" | "reload" | "remove" | "duplicate";
  readonly target: ProcessIdentity;
  readonly run?: NextRun | undefined;
}

export interface Request {
  readonly id: number;
  readonly call: Call;
}

export interface FailureBody {
  readonly code: ErrorCode;
  readonly details: string;
}

export interface Answer {
  readonly processes?: readonly ProcessRecord[];
  readonly texts?: readonly string[];
  readonly ready?: ReadonlyMap<number, number> | undefined;
  readonly written?: WrittenErrors | undefined;
  readonly pids?: readonly number[];
  readonly restored?: readonly RestoredProcess[];
}

export type Response =
  | { readonly id: number; readonly ok: true; readonly answer: Answer }
  | { readonly id: number; readonly ok: false; readonly failure: FailureBody }
  /** PM2 has received the action, which may take this long, and may take effect from now on. */
  | { readonly id: number; readonly handedOver: true; readonly waitMs: number };
