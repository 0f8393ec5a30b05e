/** PM2's own computation of the times of a schedule. */
export interface Schedules {
  /**
   * The first time of each schedule after a moment, both in milliseconds since 1970; null if there is none, `invalid`
   * if PM2 refuses the pattern.
   * `undefined` if it cannot be computed.
   */
  next(requests: readonly ScheduleRequest[]): Promise<ScheduleTimes | undefined>;
}

export interface ScheduleRequest {
  readonly pattern: string;
  readonly afterMs: number;
}

export interface ScheduleTimes {
  /** The time zone of PM2's daemon, for example `Europe/Berlin`. */
  readonly zone: string;
  readonly timesMs: readonly (number | null | "invalid")[];
}

export interface HasSchedules {
  readonly schedules: Schedules;
}
