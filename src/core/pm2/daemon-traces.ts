/** Traces that a daemon leaves behind. */
export interface DaemonTraces {
  /** Null if the daemon stopped on request, which removes its pid file. */
  readonly pid: number | null;
  /** The apps that `pm2 resurrect` starts. */
  readonly savedNames: readonly string[];
  /** When a file of PM2 was last written; the daemon ended later. */
  readonly signMs: number | null;
}
