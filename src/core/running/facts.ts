/** Facts about a process beyond PM2's list. An absent member is not known. */
export interface ProcessFacts {
  /** The times of the ends without a request within the last 15 minutes, oldest first. */
  readonly endsMs?: readonly number[];
  /** The first start after the last of these ends. A restart by a schedule does not begin another run. */
  readonly upSinceMs?: number;
  readonly loopCause?: "memory-limit" | "watch";
  /** PM2 restarts it again and again by a rule of its declaration: a sentence. */
  readonly restartLoop?: string;
  /** The restarts follow each other so fast that no run serves. */
  readonly neverSettles?: boolean;
  readonly lastEnd?: LastEnd;
  /** Its error log got lines of an error in its last run. */
  readonly hasErrorBlock?: boolean;
  readonly schedule?: ScheduleFacts;
  /** Why it has not loaded: a sentence. */
  readonly notLoaded?: string;
  /** Why it hangs: a sentence. */
  readonly hung?: string;
  /** Why svcm cannot see whether it hangs or has loaded: a clause. */
  readonly unseen?: string;
  /** A run that does not end: a sentence. */
  readonly stuck?: string;
  /** Apps whose memory limit PM2 does not watch because this process has no pid. */
  readonly limitedOthers?: readonly string[];
}

/** The end after the last start of a process. */
export interface LastEnd {
  /** When it was stopped by a command; null if it ended by itself. */
  readonly stop: StopFact | null;
  /** From PM2's log; null if it has no such line. */
  readonly signal: string | null;
  readonly code: number | null;
}

export interface StopFact {
  readonly atMs: number;
  /** The user who stopped it with svcm; null if another command did. */
  readonly actor: string | null;
  readonly isSvcm: boolean;
}

export interface NextTime {
  /** Milliseconds since 1970; null if the schedule has no more times. */
  readonly nextMs: number | null;
  /** Of PM2's daemon, for example `Europe/Berlin`. */
  readonly zone: string;
}

export interface ScheduleFacts extends NextTime {
  /** The first time after its last start. */
  readonly dueMs: number | null;
}
