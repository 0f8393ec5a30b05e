/** The counters of the machine at one moment; `rates.ts` makes rates of two readings. */

/** Time of a core in ticks of the kernel since boot. */
export interface CoreTimes {
  readonly busy: number;
  readonly total: number;
}

export interface HostReading {
  /** All cores together; null if the system does not say. */
  readonly all: CoreTimes | null;
  /** By the system's number of the core. */
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
  /** On a clock that never jumps. */
  readonly atMs: number;
  /** Time on a core since its start; null if the system reports only a share. */
  readonly cpuMs: number | null;
  /** Share of one core, if the system does not report time. */
  readonly cpuPercent: number | null;
  readonly rssBytes: number | null;
  readonly io: IoReading;
}

export type IoReading =
  | { readonly readBytes: number; readonly writeBytes: number }
  | { readonly supported: boolean; readonly code: string; readonly error: string };

export type DiskReading =
  | {
      readonly path: string;
      readonly blockBytes: number;
      readonly blocks: number;
      readonly freeBlocks: number;
      readonly availableBlocks: number;
    }
  | { readonly path: string; readonly code: string; readonly error: string };
