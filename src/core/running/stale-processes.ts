import { groupBy, ownMember } from "../words/record.ts";
import type { StaleProcess, Override, EffectOfWrite } from "../env/port-effects.ts";
import { compareText } from "../api/issue.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import type { Digests } from "./env-files.ts";

/** An app of the environment whose env file was written. Values are digests. */
export interface FileReader {
  readonly name: string;
  readonly fileName: string;
  /** Its possible variables, by each environment that declares an app of this name. */
  readonly declared: ReadonlyMap<string, readonly Digests[]>;
  readonly openKeys: readonly string[];
}

interface WrittenFile {
  readonly environment: string;
  readonly keys: readonly string[];
  /** The values of the layers of the environment, all together. */
  readonly values: Digests;
  /** If the process started with the present value, as after a change that was taken back. */
  readonly isUnchanged: (pmId: number, key: string) => boolean;
}

export function decideEffect(
  file: WrittenFile,
  readers: readonly FileReader[],
  running: readonly ProcessRecord[],
): EffectOfWrite {
  return {
    staleProcesses: readers.flatMap((reader) => listStale(file, reader, running)),
    overrides: readers.flatMap((reader) => findOverrides(file, reader)),
    elsewhere: runsElsewhere(file, readers, running),
  };
}

/**
 * Several environments can read the same file, and a process is named once.
 * @param requested the environment to prefer if a process may run as several
 */
export function mergeEffects(effects: readonly EffectOfWrite[], requested: string): EffectOfWrite {
  const byName = groupBy(
    effects.flatMap(({ staleProcesses: stale }) => stale),
    ({ name }) => name,
  );
  const staleProcesses = [...byName].map(([name, alike]): StaleProcess => {
    const pmIds = [...new Set(alike.flatMap(({ pmIds: ids }) => ids))].toSorted((a, b) => a - b);
    const runsAs = alike.flatMap(({ environment }) => environment ?? []);
    const environment = runsAs.find((one) => one === requested) ?? runsAs[0];
    return environment === undefined
      ? { name, pmIds, scope: "process" }
      : { name, pmIds, scope: "ecosystem", environment };
  });
  return {
    staleProcesses: staleProcesses.toSorted((a, b) => compareText(a.name, b.name)),
    overrides: effects.flatMap(({ overrides }) => overrides),
    elsewhere: effects.every(({ elsewhere }) => elsewhere.length > 0)
      ? [...new Set(effects.flatMap(({ elsewhere }) => elsewhere))]
      : [],
  };
}

/** On the machine of production, a write to the file of development changes nothing that runs. */
function runsElsewhere(
  { environment }: WrittenFile,
  readers: readonly FileReader[],
  running: readonly ProcessRecord[],
): string[] {
  const fitting = readers.flatMap(({ name, declared }) =>
    running
      .filter((process) => process.name === name && process.startedAt !== null)
      .map(({ declaration }) => fittingEnvironments(declaration.environment, declared)),
  );
  return fitting.some((names) => names.includes(environment)) ? [] : [...new Set(fitting.flat())];
}

function findOverrides(
  { environment, keys, values }: WrittenFile,
  { name, fileName, declared, openKeys }: FileReader,
): Override[] {
  const variables = declared.get(environment)?.[0] ?? {};
  return keys
    .filter(
      (key) => openKeys.includes(key) || (Object.hasOwn(variables, key) && variables[key] !== ownMember(values, key)),
    )
    .map((key) => ({ key, app: name, fileName }));
}

function listStale(file: WrittenFile, reader: FileReader, running: readonly ProcessRecord[]): StaleProcess[] {
  const { name, declared } = reader;
  const kept = running
    .filter((process) => process.name === name && process.startedAt !== null)
    .filter(({ declaration }) => fittingEnvironments(declaration.environment, declared).includes(file.environment))
    .flatMap((process) => {
      const scopes = file.keys.flatMap((key) => staleScope(file, reader, process, key) ?? []);
      return scopes.length === 0 ? [] : [{ pmId: process.pmId, isHandedOver: scopes.includes("ecosystem") }];
    });
  if (kept.length === 0) return [];
  const pmIds = kept.map(({ pmId }) => pmId).toSorted((a, b) => a - b);
  if (!kept.some(({ isHandedOver }) => isHandedOver)) return [{ name, pmIds, scope: "process" }];
  return [{ name, pmIds, scope: "ecosystem", environment: file.environment }];
}

/** A variable that the process got at its start hides the value of a file. */
function staleScope(
  { environment, values, isUnchanged }: WrittenFile,
  { declared, openKeys }: FileReader,
  { pmId, declaration }: ProcessRecord,
  key: string,
): StaleProcess["scope"] | undefined {
  const given = declaration.environment;
  const possible = declared.get(environment) ?? [];
  if (openKeys.includes(key)) return undefined;
  if (possible.some((variables) => Object.hasOwn(variables, key)))
    return possible.some((variables) => ownMember(variables, key) === ownMember(given, key)) ? undefined : "ecosystem";
  if (!Object.hasOwn(given, key)) return isUnchanged(pmId, key) ? undefined : "process";
  return ownMember(given, key) === ownMember(values, key) ? undefined : "ecosystem";
}

/**
 * The environments whose declaration of an app agrees best with what its process was started with. Several, if they
 * agree equally: then the process may belong to any of them.
 * @param declared for each environment, the possible variables of the app
 */
function fittingEnvironments(running: Digests, declared: ReadonlyMap<string, readonly Digests[]>): string[] {
  const keys = [...new Set([...declared.values()].flat().flatMap((variables) => Object.keys(variables)))];
  const countDifferences = (variables: Digests): number =>
    keys.filter((key) => ownMember(variables, key) !== ownMember(running, key)).length;
  const distances = [...declared].map(
    ([environment, possible]) => [environment, Math.min(...possible.map(countDifferences))] as const,
  );
  const nearest = Math.min(...distances.map(([, distance]) => distance));
  return distances.flatMap(([environment, distance]) => (distance === nearest ? [environment] : []));
}
