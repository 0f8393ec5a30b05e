import type { DriftEntry } from "../../api/metrics.ts";
import type { Ports } from "../../ports/index.ts";
import type { DeclaredRun } from "../../ports/processes.ts";
import { driftOf } from "../../rollout/drift.ts";
import type { Fields } from "../normalise.ts";
import { foldersOf } from "../problem.ts";
import type { ProcessRecord } from "../process-record.ts";
import type { AskedApps } from "./asked-apps.ts";

/** The differences between apps and the processes of their names. A restart reads env files again: they do not differ. */
export function differences({ stamps }: Ports, asked: AskedApps, list: readonly ProcessRecord[]): DriftEntry[] {
  const running = list.filter(({ name }) => asked.declarations.some((declared) => declared.name === name));
  const missingFolders = stamps.missing(foldersOf(running));
  return driftOf({ ...asked, running, missingFolders, modifiedMs: () => undefined }).drift;
}

/** The declaration of a process by its name, and the variables that left it. Of several entries, PM2 takes the last. */
export function declaredRun(ports: Ports, asked: AskedApps, record: ProcessRecord): DeclaredRun {
  const declared = asked.declarations.find(({ name }) => name === record.name);
  const stale = differences(ports, asked, [record]).filter(isStale);
  const { apps = [], folder = "/" } = declared ?? {};
  const env = Object.assign({}, ...apps.map((app) => app["env"])) as Fields;
  return { app: { ...apps.at(-1), env }, folder, drop: stale.flatMap(({ key }) => key ?? []) };
}

export function isStale({ field, state }: DriftEntry): boolean {
  return field === "env" && state === "stale";
}
