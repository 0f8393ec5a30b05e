/** A pid alone may be reused. */
export interface UniqueProcess {
  readonly pid: number;
  /** Start time in clock ticks since boot; null if the system does not report it. */
  readonly startTime: string | null;
  readonly bootId: string | null;
  readonly pidNamespace: string | null;
  readonly host: string;
}
