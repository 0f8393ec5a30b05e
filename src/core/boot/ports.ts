import type { HasDaemons, HasSavedLists } from "../pm2/port-daemons.ts";
import type { ApplyPorts } from "../rollout/ports.ts";

/** The ports of the larger functions of this room. */
export interface BootPorts extends ApplyPorts, HasDaemons, HasSavedLists, HasUnits {}

/** The units of systemd, which start PM2 when the machine starts. */
export interface Units {
  /** The units for this PM2_HOME. Reads files, so it needs no rights and no running systemd. */
  read(pm2Home: string): Promise<SystemFacts>;

  /** The user of that name; `undefined` if it is missing. */
  findUser(name: string): MachineUser | undefined;

  /** The programs with which a unit starts this svcm. */
  program(): { readonly node: string; readonly svcm: string };

  /**
   * Writes the file of a unit and enables it. Starts nothing. `disable` removes it again.
   * @throws {SvcmError} BOOT_FAILED
   */
  enable(unit: NewUnit): Promise<void>;
  disable(unit: FormerUnit): Promise<void>;

  /** Resolves when it has stopped, or is ready: each app had its time. @throws {SvcmError} BOOT_FAILED */
  control(verb: "restart" | "stop", unit: Pick<UnitFacts, "name" | "scope">): Promise<void>;

  /** Reports to systemd that the daemon runs, if systemd started this process. */
  notifyReady(pid: number, status: string): Promise<void>;

  /** systemd started this process and waits for its word. */
  readonly isSupervised: boolean;
}

export interface MachineUser {
  readonly name: string;
  readonly uid: number;
  readonly folder: string;
}

export interface SystemFacts {
  /** systemd is the first process of this machine. */
  readonly isBooted: boolean;
  /** Null if the folder does not exist, or if its owner is not a user of the machine. */
  readonly owner: MachineUser | null;
  readonly current: MachineUser;
  /** Those that start this PM2, or another one of its owner. */
  readonly units: readonly UnitFacts[];
}

export interface UnitFacts {
  readonly name: string;
  readonly path: string;
  /** The text of its file. */
  readonly text: string;
  readonly scope: "system" | "user";
  /** It runs as this user. */
  readonly user: string;
  /** Null if the unit does not say it in a way that svcm can read. */
  readonly home: string | null;
  readonly isOfHome: boolean;
  readonly isEnabled: boolean;
  readonly starts: "svcm" | "saved list" | "other";
  /** A program of its start that does not exist. */
  readonly missingNode: string | null;
  readonly missingProgram: string | null;
  /** Null for a unit of the system. Without it, a unit of a user starts when the user logs in. */
  readonly isLingering: boolean | null;
  /** The units that `svcm boot enable` disabled for it. */
  readonly replaced: readonly string[];
  /** `svcm boot enable` made its user linger. */
  readonly madeLinger: boolean;
}

export interface NewUnit {
  readonly name: string;
  readonly scope: UnitFacts["scope"];
  readonly text: string;
  readonly user: MachineUser;
  readonly replaced: readonly string[];
  readonly linger: boolean;
}

export interface FormerUnit extends Pick<UnitFacts, "name" | "path" | "scope" | "user" | "replaced" | "madeLinger"> {}

export interface HasUnits {
  readonly units: Units;
}
