import type { DaemonTraces } from "../pm2/daemon-traces.ts";
import type { DaemonProcess, HostUnit, Renewal, SavedCopy, SavedList } from "../pm2/port-daemons.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import type { CodedFinding, Finding, Rule } from "../findings/rule.ts";
import type { SystemFacts, UnitFacts } from "./ports.ts";
import type { Drift } from "../rollout/drift.ts";

/** Everything that decides what a reboot brings back. Values are digests. */
export interface BootFacts {
  readonly home: string;
  readonly system: SystemFacts;
  readonly saved: SavedList;
  /** Null without a daemon, if it does not answer, or if there is another one beside it. */
  readonly running: readonly ProcessRecord[] | null;
  /** Why it is not known what runs, although a daemon does. */
  readonly silence: string | null;
  readonly traces: DaemonTraces;
  readonly daemon: DaemonProcess | null;
  /** The unit of another program, with which the daemon ends. */
  readonly endingUnit: HostUnit | null;
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
  /** Those that no command reaches, beside the one that answers. */
  readonly lost?: readonly number[];
  /** Why no command reaches a daemon that runs. A report of everything says it about its processes. */
  readonly unreached?: string | undefined;
}

export interface BootFinding extends Finding {
  /** The one command that ends it. */
  readonly command: string;
}

export type BootRule = Rule<BootFacts, BootFinding>;
export type DaemonRule = Rule<DaemonFacts, BootFinding>;
export type FoundFact = CodedFinding<BootFinding>;

/** svcm saved a list with apps, and it is gone. */
export function isLost(saved: SavedList): saved is SavedList & { readonly copy: SavedCopy } {
  return saved.state === "absent" && saved.copy !== null && saved.copy.count > 0;
}

/** Something runs, or would run after a reboot. */
export function isInUse({ saved, running }: BootFacts): boolean {
  const isListed = (running ?? []).length > 0 || saved.processes.length > 0;
  return isListed || saved.state === "broken" || saved.state === "unreadable" || isLost(saved);
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

/** The differences between the saved list and the ecosystem file. */
export interface DeclaredDifferences {
  /** Null if nothing was compared. */
  readonly file: string | null;
  /** Why the file could not be compared, if there is one. */
  readonly problem: string | null;
  /** Of all declared apps. */
  readonly names: readonly string[];
  readonly missing: readonly string[];
  readonly counts: readonly { readonly name: string; readonly declared: number; readonly saved: number }[];
  readonly values: readonly { readonly name: string; readonly keys: readonly string[] }[];
}

export const NOT_COMPARED: DeclaredDifferences = {
  file: null,
  problem: null,
  names: [],
  missing: [],
  counts: [],
  values: [],
};

/** A start reads these again, so they say nothing about the next one. */
const READ_AT_START = new Set<string>(["app", "envFile", "code", "values", "state", "instances"]);

/** @param drift of the saved list, as if it ran */
export function declaredDifferences(
  drift: Pick<Drift, "drift">,
  names: ReadonlySet<string>,
  { file, apps }: { readonly file: string; readonly apps: readonly string[] },
): DeclaredDifferences {
  const entries = drift.drift.filter(({ state }) => state !== "unexpected");
  const values = new Map<string, string[]>();
  for (const { name, field, key } of entries)
    if (!READ_AT_START.has(field) && names.has(name)) values.set(name, [...(values.get(name) ?? []), key ?? field]);
  return {
    file,
    problem: null,
    names: apps,
    missing: entries
      .filter(({ name, field, state }) => field === "app" && state === "missing" && !names.has(name))
      .map(({ name }) => name),
    counts: entries.flatMap(({ name, field, declared, running }) =>
      field === "instances" ? [{ name, declared: Number(declared), saved: Number(running) }] : [],
    ),
    values: [...values].map(([name, keys]) => ({ name, keys: [...new Set(keys)] })),
  };
}
