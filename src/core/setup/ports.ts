import type { BootPorts } from "../boot/ports.ts";
import type { HasMachine, HasRevisions } from "../files/ports.ts";
import type { HasLogCare } from "../logs/care/log-care.ts";
import type { HasSchedules, FoundPm2 } from "../pm2/port-daemons.ts";
import type { HasSurvey } from "./detect/survey.ts";

/** The ports of the larger functions of this room. */
export interface SetupPorts
  extends BootPorts, HasInstallation, HasLogCare, HasMachine, HasRevisions, HasSchedules, HasSurvey {}

/** Facts about this program and the programs around it. It contains no setting that may be a secret. */
export interface Installation {
  readonly node: string;
  /** For example `linux x64`. */
  readonly platform: string;
  readonly user: string;
  /** The version of PM2 with which svcm would start a daemon; null if it is not installed. */
  readonly pm2Version: string | null;
  /** The code of PM2 that svcm loads for what needs it. */
  pm2(): Promise<FoundPm2>;
  readonly hasToken: boolean;

  /** The daemon in PM2_HOME; null if none is listening. */
  daemon(): Promise<Pm2Daemon | null>;

  /** Why this user cannot write to PM2_HOME, as a code of the system; null if it can, or if the folder does not exist. */
  homeRefusal(): string | null;

  /** Finds out if a program responds at the address that `svcm serve` would use. */
  service(): Promise<ServiceAddress>;

  /** True if a program with this name is in the PATH. */
  hasProgram(name: string): boolean;
}

export interface Pm2Daemon {
  /** Null if the daemon does not respond to this user. */
  readonly version: string | null;
  readonly pid: number | null;
  /** The name of the user who owns its socket. */
  readonly owner: string;
}

export interface ServiceAddress {
  /** `host:port`; null if the variables do not give a valid address. */
  readonly address: string | null;
  /** `svcm`: a `svcm serve` process. `other`: another program. */
  readonly answer: "nothing" | "svcm" | "other";
}

export interface HasInstallation {
  readonly installation: Installation;
}
