import type { DaemonTraces } from "../pm2/daemon-traces.ts";
import type { DaemonProcess, Renewal } from "../pm2/port-daemons.ts";
import type { SavedList } from "../pm2/port-saved-list.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import type { CodedFinding, Finding, Rule } from "../findings/rule.ts";
import type { DeclaredDifferences } from "./compare-declared.ts";
import type { SystemFacts, UnitFacts } from "./port-units.ts";

/** Everything that decides what a reboot brings back. Values are digests. */
export interface BootFacts {
  readonly home: string;
  readonly system: SystemFacts;
  readonly saved: SavedList;
  /** Null without a daemon, or if it does not answer. */
  readonly running: readonly ProcessRecord[] | null;
  /** Why a daemon that runs does not answer. */
  readonly silence: string | null;
  readonly traces: DaemonTraces;
  readonly daemon: DaemonProcess | null;
  /** Scripts of the saved list that do not exist. */
  readonly missingScripts: ReadonlySet<string>;
  readonly declared: DeclaredDifferences;
}

/** The daemons as they are, and as they should be. */
export interface DaemonFacts {
  readonly home: string;
  /** `undefined` where the system does not show processes. */
  readonly daemons: readonly DaemonProcess[] | undefined;
  readonly nodeVersion: string | null;
  /** The version of PM2 that svcm brings. */
  readonly library: string | null;
  /** The range that the repository asks for, and the file that says it. */
  readonly wantedNode: { readonly range: string; readonly file: string } | null;
  readonly saved: SavedList;
  /** One that was cut off. */
  readonly renewal: Renewal | null;
}

export interface BootFinding extends Finding {
  /** The one command that ends it. */
  readonly command: string;
}

export type BootRule = Rule<BootFacts, BootFinding>;
export type DaemonRule = Rule<DaemonFacts, BootFinding>;
export type FoundFact = CodedFinding<BootFinding>;

/** Something runs, or would run after a reboot. */
export function isInUse({ saved, running }: BootFacts): boolean {
  return (
    (running ?? []).length > 0 || saved.processes.length > 0 || saved.state === "broken" || saved.state === "unreadable"
  );
}

/** @param daemon of that PM2_HOME */
export function unitOfDaemon(
  units: readonly UnitFacts[],
  daemon: DaemonProcess | null | undefined,
): UnitFacts | undefined {
  return units.find(({ isOfHome, name }) => isOfHome && daemon?.group?.split("/").includes(name));
}

export function unitsOfHome({ system }: BootFacts): BootFacts["system"]["units"] {
  return system.units.filter(({ isOfHome }) => isOfHome);
}
