/** The PM2 daemons of this machine. */
export interface Daemons {
  /** Those that this user may see; `undefined` where the system does not show processes. */
  list(): Promise<readonly DaemonProcess[] | undefined>;

  /** The version of Node.js that the daemon of this PM2_HOME runs; null if it does not answer. */
  nodeVersion(): Promise<string | null>;

  /** The version of the PM2 that svcm brings; null if it is not installed. */
  readonly libraryVersion: string | null;

  /** The control group of this process; null where the system does not have them. */
  ownGroup(): string | null;
}

export interface DaemonProcess {
  readonly pid: number;
  readonly home: string;
  /** It is the daemon of this PM2_HOME. */
  readonly isOwn: boolean;
  readonly pm2Version: string;
  readonly user: string;
  readonly uid: number;
  /** Null if this user may not see it. */
  readonly nodePath: string | null;
  /** `replaced`: another file is at its path. `gone`: no file is. */
  readonly nodeFile: "present" | "replaced" | "gone" | "unknown";
  /** The control group, such as `/system.slice/pm2-deploy.service`. */
  readonly group: string | null;
}

export interface HasDaemons {
  readonly daemons: Daemons;
}
