import type { ErrorCode } from "../api/issue.ts";

/** The counters of the machine at one moment. `from-readings.ts` computes metrics from two readings. */

export interface CoreTimes {
  readonly busy: number;
  readonly total: number;
}

export interface HostReading {
  readonly all: CoreTimes | null;
  readonly cores: ReadonlyMap<number, CoreTimes>;
  readonly memory: MemoryReading;
  readonly loadAvg: LoadAvg | null;
}

export interface MemoryReading {
  readonly totalBytes: number | null;
  readonly freeBytes: number | null;
  readonly availableBytes: number | null;
}

export interface LoadAvg {
  readonly one: number;
  readonly five: number;
  readonly fifteen: number;
}

export interface ProcessReading {
  readonly atMs: number;
  readonly cpuMs: number | null;
  readonly cpuPercent: number | null;
  readonly rssBytes: number | null;
  readonly io: IoReading;
}

export interface ListeningSocket {
  readonly address: string;
  readonly port: number;
  readonly waiting: number;
}

/** `waiting` counts the connections of a listening socket, and the unread bytes of any other. */
export interface TcpSocket extends ListeningSocket {
  readonly inode: string;
  readonly isListening: boolean;
  /** The remote ends of the connections that a listening socket has not accepted, which it takes in order. */
  readonly unaccepted: readonly string[];
}

export interface Listener extends ListeningSocket {
  readonly pid: number;
  /** The parent first. */
  readonly ancestors: readonly number[];
  /** Without path and arguments. */
  readonly program: string;
  /** The process of PM2 whose variables it has: its own, or those of a process that started it. */
  readonly origin: Pm2Origin | null;
}

export interface Pm2Origin {
  readonly pm2Home: string;
  readonly name: string;
  readonly pmId: number;
}

export interface ProcessActivity {
  readonly parentPid: number;
  /** By SIGSTOP, or by a debugger. */
  readonly isSuspended: boolean;
  /** Its main thread waits for events, or sleeps and this user may not see what for. */
  readonly mayBeIdle: boolean;
}

/** In words of the system, such as `20000` or `unlimited`; null if it is not known. */
export interface SystemLimits {
  /** Of one process. */
  readonly openFiles: string | null;
  /** Of all processes of the user. */
  readonly processes: string | null;
  readonly addressSpace: string | null;
  readonly inotifyInstances: string | null;
  readonly inotifyWatches: string | null;
}

export type IoReading =
  | { readonly readBytes: number; readonly writeBytes: number }
  | { readonly supported: boolean; readonly code: ErrorCode; readonly error: string };

export type DiskReading =
  | {
      readonly path: string;
      readonly blockBytes: number;
      readonly blocks: number;
      readonly freeBlocks: number;
      readonly availableBlocks: number;
      /** `undefined` where the file system creates them as needed. */
      readonly freeInodes?: number | undefined;
    }
  | { readonly path: string; readonly code: ErrorCode; readonly error: string };
