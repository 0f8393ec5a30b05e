import type { Finding, Rule } from "../../findings/rule.ts";
import { groupBy } from "../../words/record.ts";
import { declaredApps, type DeclaredApp } from "../declared.ts";
import type { LoadedApp } from "../loaded.ts";
import { normaliseApp, type NormalisedApp } from "../normalise.ts";
import type { EcosystemFile } from "../view.ts";

export interface CheckedEcosystem {
  readonly file: EcosystemFile;
  readonly listed: readonly string[];
  readonly apps: readonly CheckedApp[];
  readonly implied: readonly ImpliedApps[];
  readonly cpuCores: number;
}

export interface ImpliedApps {
  readonly by: string;
  readonly suffixes: readonly string[];
}

export interface CheckedApp extends LoadedApp {
  readonly index: number;
  readonly normal: NormalisedApp;
  readonly declared: DeclaredApp;
  readonly label: string;
}

export interface EcosystemFinding extends Finding {
  /** All apps that take part, by name. */
  readonly apps?: readonly string[];
}

export interface EcosystemRule extends Rule<CheckedEcosystem, EcosystemFinding> {
  /** PM2 refuses the app, or would run something else than its declaration, so plan and apply refuse it, too. */
  readonly blocks?: "always" | "unless they already run";
}

interface AppRule extends Omit<EcosystemRule, "check"> {
  readonly check: (app: CheckedApp) => Iterable<EcosystemFinding>;
}

/** A rule for each app by itself: a path begins at the app, and the label of the app is put before a message. */
export function appRule({ check, ...rule }: AppRule): EcosystemRule {
  return {
    ...rule,
    check: ({ apps }) =>
      apps.flatMap((app) =>
        Array.from(check(app), ({ path = [], message, ...finding }) => ({
          ...finding,
          path: ["apps", app.index, ...path],
          message: `${app.label}: ${message}`,
        })),
      ),
  };
}

export function checkedApps({ loaded }: EcosystemFile, cpuCores: number): CheckedApp[] {
  if (loaded === undefined) return [];
  const declared = declaredApps(loaded, { cpuCores });
  return loaded.apps.flatMap((app, index) => {
    const declaredApp = declared[index];
    if (declaredApp === undefined) return [];
    const normal = normaliseApp(app.fields);
    return [
      { ...app, index, normal, declared: declaredApp, label: normal.name === "" ? `apps[${index}]` : normal.name },
    ];
  });
}

export function groupsOfSeveral<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  return new Map([...groupBy(items, keyOf)].filter(([, group]) => group.length > 1));
}
