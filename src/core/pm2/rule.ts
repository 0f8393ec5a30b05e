import type { Issue } from "../api/issue.ts";
import type { RuntimeContract } from "../facts/schema.ts";
import { declaredApps, type DeclaredApp } from "./declared.ts";
import type { LoadedApp } from "./loaded.ts";
import { normaliseApp, type NormalApp } from "./normalise.ts";
import type { EcosystemFile } from "./view.ts";

/** What rules look at: the file, and each app as it stands, as PM2 reads it and as PM2 would run it. */
export interface CheckedEcosystem {
  readonly file: EcosystemFile;
  readonly listed: readonly string[];
  readonly apps: readonly CheckedApp[];
  readonly contract: RuntimeContract;
  /** Empty where the repository promises none. */
  readonly implied: readonly ImpliedApps[];
}

/** App names that `deployments.yaml` promises, by their endings. */
export interface ImpliedApps {
  /** The part of the document that does, as messages call it. */
  readonly by: string;
  readonly suffixes: readonly string[];
}

export interface CheckedApp extends LoadedApp {
  readonly index: number;
  readonly normal: NormalApp;
  readonly declared: DeclaredApp;
  /** How messages call it. */
  readonly label: string;
}

export interface Finding extends Pick<Issue, "code" | "message" | "accepted" | "suggestion"> {
  readonly path?: Issue["path"];
  readonly severity?: Issue["severity"];
}

/** A rule reads the whole and returns what it finds. */
export type EcosystemRule = (ecosystem: CheckedEcosystem) => Finding[];

export function checkedApps({ loaded }: EcosystemFile, cpuCores: number): CheckedApp[] {
  if (loaded === undefined) return [];
  const declared = declaredApps(loaded, { cpuCores });
  return loaded.apps.flatMap((app, index) => {
    const asRun = declared[index];
    if (asRun === undefined) return [];
    const normal = normaliseApp(app.fields);
    return [{ ...app, index, normal, declared: asRun, label: normal.name === "" ? `apps[${index}]` : normal.name }];
  });
}

/** Apps by a property, those that share it only. */
export function sharing<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return new Map([...groups].filter(([, group]) => group.length > 1));
}
