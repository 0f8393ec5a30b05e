import type { ProcessRecord } from "./process-record.ts";

/** The PM2 daemons of this machine. */
export interface Daemons {
  /** Those that this user may see; `undefined` where the system does not show processes. */
  list(): Promise<readonly DaemonProcess[] | undefined>;

  /** The version of Node.js that the daemon of this PM2_HOME runs; null if it does not answer. */
  nodeVersion(): Promise<string | null>;

  /** The version of the PM2 with which svcm would start a daemon; null if none is installed. */
  readonly libraryVersion: string | null;

  /** The version of the Node.js at that path; null if it cannot run. */
  versionOf(node: string): Promise<string | null>;

  /** A renewal of this daemon that was cut off. */
  renewal(): Renewal | null;

  /** The unit of another program, such as `svcm serve`, that started the daemon and ends it with itself; null without one. */
  unitThatEnds(daemon: Pick<DaemonProcess, "pid" | "group">): Promise<HostUnit | null>;

  /** The control group of this process; null where the system does not have them. */
  ownGroup(): string | null;
}

/** Of systemd. */
export interface HostUnit {
  readonly name: string;
  readonly isOfUser: boolean;
}

export interface Renewal {
  /** `back`: to the former daemon. */
  readonly step: "forward" | "back";
  readonly startedAtMs: number;
  readonly node: string;
  readonly formerPid: number;
  /** Of the former daemon. systemd restarts it, so no second daemon runs beside the former one. */
  readonly unit: RenewedUnit | null;
}

export interface RenewedUnit {
  readonly name: string;
  readonly scope: "system" | "user";
  /** The file of svcm's own unit before; null if there was none. */
  readonly ownText: string | null;
}

export interface DaemonProcess {
  readonly pid: number;
  readonly home: string;
  /** It is the daemon of this PM2_HOME. */
  readonly isOwn: boolean;
  /** `pm2-runtime`, which runs the apps as the first process of a container. Only the own one is known. */
  readonly isForeground: boolean;
  /** A signal or a debugger has stopped it. */
  readonly isSuspended: boolean;
  readonly pm2Version: string;
  readonly user: string;
  readonly uid: number;
  /** Null if this user may not see it. */
  readonly nodePath: string | null;
  /** `replaced`: another file is at its path. `gone`: no file is. */
  readonly nodeFile: "present" | "replaced" | "gone" | "unknown";
  /** The control group, such as `/system.slice/pm2-deploy.service`. */
  readonly group: string | null;
  /** Of the variables with which it was started, the names that look like secrets. Only those of the own one are known. */
  readonly secretNames: readonly string[];
}

export interface HasDaemons {
  readonly daemons: Daemons;
}

export type Pm2Origin = "the running daemon" | "the repository" | "svcm's neighbours" | "PATH";

/** The team's own PM2. */
export interface FoundPm2 {
  /** `undefined` if there is none that svcm may load. */
  readonly code: { readonly folder: string; readonly version: string; readonly by: Pm2Origin } | undefined;
  /** Folders with the reason why they are not used. */
  readonly refused: readonly string[];
}

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
  readonly timesMs: readonly ScheduleTime[];
}

export type ScheduleTime = number | null | "invalid";

export interface HasSchedules {
  readonly schedules: Schedules;
}

/** PM2's saved list, from which PM2 and `svcm boot restore` start the apps after a reboot. Values never leave it. */
export interface SavedLists {
  /** @param digest the one of the records that are compared with it */
  read(digest: (value: string) => string): Promise<SavedList>;

  /** Takes away the rights of other users to the lists in PM2_HOME, which hold every value. */
  makePrivate(): void;
}

export interface SavedList {
  /** `broken`: PM2 cannot parse it, and would delete it. `empty`: a list without apps. */
  readonly state: "read" | "absent" | "empty" | "broken" | "unreadable";
  readonly path: string;
  /** In milliseconds since 1970. */
  readonly savedAtMs: number | null;
  /** Files with values that other users of the machine may read. */
  readonly publicFiles: readonly string[];
  /** In the order of the list, which is also their number. */
  readonly processes: readonly SavedProcess[];
  /** The copy that svcm wrote when it last saved the list; null without one. */
  readonly copy: SavedCopy | null;
}

export interface SavedProcess extends ProcessRecord {
  /** The interpreter, if no folder of the saved PATH has it. */
  readonly missingInterpreter: string | null;
}

export interface SavedCopy {
  readonly savedAtMs: number;
  /** The list is still the one that svcm saved. */
  readonly isCurrent: boolean;
  readonly count: number;
}

export interface HasSavedLists {
  readonly savedLists: SavedLists;
}
