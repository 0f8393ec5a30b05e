/** Of several PM2 files that declare the same program, a team uses one. The caller of a file decides, then its name. */
import { baseName, nameList } from "../../words/text.ts";
import { alternatives, isAlternative, scriptPath } from "./starts.ts";
import { byPath, type DetectionNote, type Pm2File, type RunningApp } from "./pm2-file.ts";
import type { UndecidedFile } from "../../project/project.ts";
import { joinPath } from "./survey.ts";

export interface Selection {
  readonly pm2: readonly Pm2File[];
  readonly undecided: readonly UndecidedFile[];
  readonly skipped: readonly DetectionNote[];
}

/** `pm2 start` without a file looks for these. */
const DEFAULT_NAME = /^ecosystem\.(?:config\.[cm]?js|json|ya?ml)$/;

/** @param started scripts that a command starts without a PM2 file */
export function selectFiles(
  candidates: readonly Pm2File[],
  running: readonly RunningApp[],
  started: ReadonlySet<string>,
): Selection {
  const files = withParts(candidates.map((file) => withoutDoubtfulEnvironments(file, candidates)));
  const removed = new Map<Pm2File, Set<string>>(files.map((file) => [file, new Set()]));
  const remove = (losers: readonly Pm2File[], environment: string): void => {
    for (const file of losers) removed.get(file)?.add(environment);
  };
  const undecided: UndecidedFile[] = [];
  const skipped: DetectionNote[] = [];
  const environments = [...new Set(files.flatMap((file) => Object.keys(file.environments)))];
  for (const environment of environments) {
    const present = files.filter((file) => Object.hasOwn(file.environments, environment));
    const groups = alternatives(present);
    for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
      const { winner, isCertain } = choose(group, environment, running);
      const others = group.filter((file) => file !== winner);
      const losers = isCertain && winner !== undefined ? others.filter((file) => isAlternative(winner, file)) : others;
      remove(losers, environment);
      if (isCertain) skipped.push(...losers.map((file) => lostNote(file, winner, environment)));
      else undecided.push(...losers.map((file) => undecidedFile(file, group ?? [], environment)));
      // A file that declares the apps of several others joined them.
      groups.push(...alternatives(others.filter((file) => !losers.includes(file))));
    }
  }
  for (const environment of environments)
    for (const file of files.filter((one) => isForgotten(one, files, removed, environment, running))) {
      remove([file], environment);
      if (!files.some((other) => isReadBy(file, other, environment)))
        undecided.push({ file: file.path, environment, why: FORGOTTEN });
    }
  for (const doubt of startedWithout(files, started, running)) {
    if (removed.get(doubt.file)?.has(doubt.environment) === true) continue;
    remove([doubt.file], doubt.environment);
    undecided.push({ ...doubt, file: doubt.file.path });
  }
  const pm2 = files.flatMap((file): Pm2File[] => {
    const left = Object.entries(file.environments).filter(([name]) => removed.get(file)?.has(name) !== true);
    return left.length === 0 ? [] : [{ ...file, environments: Object.fromEntries(left) }];
  });
  return { pm2: pm2.toSorted(byPath), undecided, skipped };
}

const FORGOTTEN = "nothing starts this file, and something starts another one of this folder";

interface Doubt {
  readonly file: Pm2File;
  readonly environment: string;
  readonly why: string;
}

/** The team starts the same script by a command, so the file may be a leftover. */
function startedWithout(
  files: readonly Pm2File[],
  started: ReadonlySet<string>,
  running: readonly RunningApp[],
): Doubt[] {
  return files.flatMap((file) => {
    const paths = file.apps.map((app) => scriptPath(file, app));
    const script = paths.find((path) => path !== undefined && started.has(path));
    if (script === undefined || file.calls.length > 0 || declaresRunning(file, running)) return [];
    const why = `nothing starts this file, and a command starts ${script} without it`;
    return Object.keys(file.environments).map((environment) => ({ file, environment, why }));
  });
}

/** Beside a file that a script or a workflow starts, one that nothing starts may be a leftover. */
function isForgotten(
  file: Pm2File,
  files: readonly Pm2File[],
  removed: ReadonlyMap<Pm2File, ReadonlySet<string>>,
  environment: string,
  running: readonly RunningApp[],
): boolean {
  const isIn = (one: Pm2File): boolean =>
    Object.hasOwn(one.environments, environment) && removed.get(one)?.has(environment) !== true;
  if (!isIn(file) || isCalledFor(file, environment) || file.named === environment) return false;
  if (declaresRunning(file, running)) return false;
  return files.some(
    (other) =>
      other !== file &&
      (other.home === file.home || runsIn(other, file.home)) &&
      isIn(other) &&
      isCalledFor(other, environment),
  );
}

/** The other file takes its apps from it, and starts them. */
function isReadBy({ path }: Pm2File, { environments, reads }: Pm2File, environment: string): boolean {
  const names = [path, path.replace(/\.js(?:on)?$/, "")];
  return Object.hasOwn(environments, environment) && names.some((name) => reads.includes(name));
}

function declaresRunning({ apps }: Pm2File, running: readonly RunningApp[]): boolean {
  return apps.some(({ name }) => running.some((one) => one.name === name));
}

/** A file above the folder already declares the apps of it. */
function runsIn({ apps, cwd }: Pm2File, home: string): boolean {
  return apps.some(
    ({ folder }) =>
      folder !== undefined && (home.endsWith(`/${folder}`) || `${joinPath(cwd, folder)}/`.startsWith(`${home}/`)),
  );
}

function lostNote(file: Pm2File, winner: Pm2File | undefined, environment: string): DetectionNote {
  const what = `another file declares the same app; svcm.yaml names ${winner?.path ?? "that one"} for ${environment}`;
  return { path: file.path, line: 1, what };
}

function undecidedFile(file: Pm2File, group: readonly Pm2File[], environment: string): UndecidedFile {
  const rivals = group.filter((other) => other !== file && isAlternative(other, file));
  const declaring = (name: string | undefined): readonly Pm2File[] =>
    name === undefined ? [] : rivals.filter((other) => other.apps.some((app) => app.name === name));
  const shared = file.apps.map(({ name }) => name).find((name) => declaring(name).length > 0);
  const others = (shared === undefined ? rivals : declaring(shared)).map(({ path }) => path);
  const what =
    shared === undefined
      ? `has a name, script or port of ${nameList(others, MAX_NAMES)}`
      : `declares ${shared}, as ${nameList(others, MAX_NAMES)} ${others.length === 1 ? "does" : "do"}`;
  return { file: file.path, environment, why: `${what}; ${callersText(group)}` };
}

function callersText(group: readonly Pm2File[]): string {
  const called = group.filter(({ calls }) => calls.length > 0);
  const callers = [...new Set(called.flatMap(({ calls }) => calls.map(({ by }) => by)))];
  if (called.length < 2) return "no caller says which of them is started";
  return `${nameList(callers, MAX_NAMES)} ${callers.length === 1 ? "starts" : "start"} several of them`;
}

const MAX_NAMES = 3;

/** A block for an environment that has its own file is a leftover, unless a caller starts it. */
function withoutDoubtfulEnvironments(file: Pm2File, files: readonly Pm2File[]): Pm2File {
  const others = files.filter((other) => other.home === file.home && other !== file);
  const isNamed = (environment: string): boolean => others.some(({ named }) => named === environment);
  if (file.isGuess && isNamed("production") && !isNamed("dev"))
    return { ...file, environments: { dev: null }, only: {} };
  const kept = Object.entries(file.environments).filter(
    ([name]) => file.named === name || !isNamed(name) || isCalledFor(file, name),
  );
  return kept.length === 0 ? file : { ...file, environments: Object.fromEntries(kept) };
}

function isCalledFor({ calledFor }: Pm2File, environment: string): boolean {
  return calledFor.includes(environment);
}

/** Files that each have their own deployment, and no environment in their name, belong to one server each. */
function withParts(files: readonly Pm2File[]): Pm2File[] {
  const parts = new Map<Pm2File, string>();
  const environments = [...new Set(files.flatMap((file) => Object.keys(file.environments)))];
  for (const environment of environments) {
    const present = files.filter((file) => Object.hasOwn(file.environments, environment));
    for (const group of alternatives(present)) {
      const names = group.map(({ path }) => partName(path));
      const isDeployedAlone = group.every(({ calls }) => calls.some(({ kind }) => kind === "deploy"));
      const callers = new Set(group.map(({ calls }) => calls.map(({ by }) => by).join()));
      const isOfServer = group.every(({ named }) => named === undefined);
      if (!isDeployedAlone || !isOfServer || callers.size < group.length || new Set(names).size < group.length)
        continue;
      for (const [index, file] of group.entries()) parts.set(file, names[index] ?? "");
    }
  }
  return files.map((file) => {
    const part = parts.get(file);
    return part === undefined ? file : { ...file, part };
  });
}

function partName(path: string): string {
  const name = baseName(path).replace(/\.(?:config\.)?(?:json|ya?ml|[cm]?js)$/i, "");
  return name.replace(/^(?:ecosystem|pm2|process)[._-]?/i, "").replaceAll(/[^\w-]+/g, "-") || "main";
}

interface Choice {
  readonly winner: Pm2File | undefined;
  readonly isCertain: boolean;
}

function isWhole({ isBroken }: Pm2File): boolean {
  return !isBroken;
}

function choose(group: readonly Pm2File[], environment: string, running: readonly RunningApp[]): Choice {
  const isNamed = ({ named }: Pm2File): boolean => named === environment;
  const witnesses: ((file: Pm2File) => boolean)[] = [
    isWhole,
    (file) => runs(file, group, running),
    (file) => isCalledFor(file, environment),
    isNamed,
    ({ calls }) => calls.length > 0,
  ];
  let left = group;
  for (const isWitness of witnesses) {
    const kept = left.filter(isWitness);
    const [only] = kept;
    if (kept.length === 1 && only !== undefined) {
      const isContradicted =
        isWitness === isNamed && left.some((file) => file !== only && isToldInstead(file, only, environment));
      return isContradicted ? { winner: undefined, isCertain: false } : { winner: only, isCertain: true };
    }
    // None of these excludes another one of them.
    const isTogether = kept.length > 1 && isWitness !== isWhole && alternatives(kept).length === 0;
    if (isTogether) return { winner: only, isCertain: true };
    if (kept.length > 1) left = kept;
  }
  const standard = left.filter(({ path, calls }) => DEFAULT_NAME.test(baseName(path)) && calls.length === 0);
  return { winner: standard.length === 1 ? standard[0] : undefined, isCertain: false };
}

/** A README that starts another file for the environment contradicts the name of this one. */
function isToldInstead(file: Pm2File, other: Pm2File, environment: string): boolean {
  if (other.calls.length > 0 || file.calls.length === 0 || file.named !== undefined) return false;
  return file.environments[environment] === null;
}

/** PM2 runs an app that only this file declares. */
function runs(file: Pm2File, group: readonly Pm2File[], running: readonly RunningApp[]): boolean {
  const others = new Set(group.filter((other) => other !== file).flatMap(({ apps }) => apps.map(({ name }) => name)));
  return file.apps.some(
    ({ name }) => name !== undefined && !others.has(name) && running.some((one) => one.name === name),
  );
}
