/** This program, and the programs around it. No value of a setting that may be a secret is in it. */
export interface Installation {
  readonly node: string;
  /** For example `linux x64`. */
  readonly platform: string;
  readonly user: string;
  /** The version of the PM2 that svcm starts a daemon with; null if it is not installed. */
  readonly pm2Version: string | null;
  readonly hasToken: boolean;

  /** The daemon in PM2_HOME; null if none listens there. */
  daemon(): Promise<Pm2Daemon | null>;

  /** The answer at the address that `svcm serve` would bind. */
  service(): Promise<ServiceAddress>;

  /** True if a program of this name is in the PATH. */
  hasProgram(name: string): boolean;
}

export interface Pm2Daemon {
  /** Null if it does not answer this user. */
  readonly version: string | null;
  readonly pid: number | null;
  /** The name of the user who owns its socket. */
  readonly owner: string;
}

export interface ServiceAddress {
  /** `host:port`; null if the variables do not make one. */
  readonly address: string | null;
  /** `svcm` is `svcm serve`, `other` another program. */
  readonly answer: "nothing" | "svcm" | "other";
}
