import { dirname, relative } from "node:path";
import type { GitEvidence, NewerEntry, RecordedCode } from "../code-evidence.ts";
import { isDataName, mayBeCode, weigh, weighOwnData, type Age, type GitStatus, type Weight } from "../code-files.ts";
import { findHeadAt, type HeadMove, type Repository } from "./repository.ts";
import type { CodeProcess } from "../port-running-code.ts";
import { blobDigest } from "./record-store.ts";
import type { Unit } from "./unit.ts";
import type { WalkedEntry } from "./walk.ts";

/** PM2 reads the commit up to this long after the start. */
const PM2_READS_MS = 1500;

export interface GitQuestion {
  readonly unit: Pick<Unit, "rules" | "walk" | "files" | "install">;
  readonly folder: string;
  readonly imports: readonly string[];
  readonly repository: Pick<Repository, "head" | "moves" | "tree" | "ignored">;
  readonly process: CodeProcess;
  readonly sinceMs: number;
  readonly newer: readonly WalkedEntry[];
  /** Recorded paths that are no longer there. */
  readonly gone: readonly string[];
  readonly ageOf: (path: string) => Age;
}

export interface GitAnswer {
  readonly git: GitEvidence;
  /** Without files that are not code. */
  readonly newer: readonly NewerEntry[];
  /** As `newer`, of the files that may be code or data. Those that Git tracks differ from the commit of the start. */
  readonly doubts: readonly string[];
  readonly weightOf: (path: string) => Weight;
  readonly isLockfileAsCommitted: boolean;
}

type FileStatus = Exclude<GitStatus, "no-git">;
type Tree = ReadonlyMap<string, string>;

/** `undefined` if Git cannot answer. */
export async function askGit(question: GitQuestion): Promise<GitAnswer | undefined> {
  const { repository, folder, imports, unit, process, sinceMs, newer } = question;
  const now = repository.head();
  if (now === null) return undefined;
  const start = findCommit(repository.moves(), process);
  const treeOf = async (commit: string | null): Promise<Tree | undefined> =>
    commit === null ? undefined : await repository.tree(commit, folder, imports).catch(() => undefined);
  const [atStart, current, ...others] = await Promise.all([
    treeOf(start.commit),
    repository.tree(now, folder, imports),
    ...start.others.map(treeOf),
  ]);
  const tracked = (path: string): boolean => current.has(path) || atStart?.has(path) === true;
  const { statusOf, weightOf } = await classify(question, current, tracked);
  const ofWeight = (weight: Weight): WalkedEntry[] =>
    newer.filter(({ kind, path }) => kind !== "folder" && weightOf(path) === weight);
  const files = ofWeight("code");
  const doubts = ofWeight("doubtful").filter((entry) => !isSame(entry, atStart?.get(entry.path)));
  const change = (tree: Tree) => changedPaths(question, { files, tree, current });
  const changed = atStart === undefined ? [] : change(atStart);
  const isAmbiguous = others.some((tree) => tree !== undefined && change(tree).length > 0 !== changed.length > 0);
  const folders = newer.filter(({ kind }) => kind === "folder");
  return {
    git: {
      ...describeStart(start),
      now,
      isAmbiguous,
      isCommitGone: start.commit !== null && atStart === undefined,
      changed,
      committed: changed.filter((path) => atStart?.get(path) !== current.get(path)),
    },
    newer: [
      ...files.map((entry) => describeFile(entry, { sinceMs, git: statusOf(entry.path), atStart })),
      ...folders.map((entry) => ({ ...newerFolder(entry), hasUntracked: hasUntracked(entry, unit, tracked) })),
    ],
    doubts: doubts.map(({ path }) => path),
    weightOf,
    isLockfileAsCommitted: isLockfileSame(question, atStart),
  };
}

interface RecordPlace extends Pick<GitQuestion, "imports"> {
  readonly folder: string | undefined;
  readonly repository: Pick<Repository, "tree"> | undefined;
}

/** @see GitEvidence.notInCommit */
export async function notInCommit(
  { code, commit }: RecordedCode,
  { folder, repository, imports }: RecordPlace,
): Promise<ReadonlySet<string>> {
  const isKnown = repository !== undefined && folder !== undefined && commit !== null;
  const tree = isKnown ? await repository.tree(commit, folder, imports).catch(() => undefined) : undefined;
  const isIn = (path: string, own: string): boolean => {
    const id = tree?.get(path);
    // Both ids are Git's, unless the repository has longer ones, which the record does not.
    return id !== undefined && (id === own || id.length !== own.length);
  };
  return new Set([...code].flatMap(([path, own]) => (isIn(path, own) ? [] : [path])));
}

/** By path, for what is newer or gone. */
async function classify(
  { repository, folder, unit, newer, gone, ageOf }: GitQuestion,
  current: Tree,
  tracked: (path: string) => boolean,
): Promise<{ readonly statusOf: (path: string) => FileStatus; readonly weightOf: (path: string) => Weight }> {
  const outside = new Set(unit.walk.entries.filter(({ isOutside }) => isOutside).map(({ path }) => path));
  const paths = [...newer.filter(({ kind }) => kind !== "folder").map(({ path }) => path), ...gone];
  // A local package in `node_modules` is a copy of what Git tracks.
  const isApart = (path: string): boolean => outside.has(path) || path.includes("node_modules/");
  const ignored = await repository.ignored(
    paths.filter((path) => !tracked(path) && !isApart(path)),
    folder,
  );
  const statusOf = (path: string): FileStatus =>
    tracked(path) ? "tracked" : ignored.has(path) ? "ignored" : "untracked";
  const isAsCommitted = (path: string): boolean =>
    newer.every((entry) => entry.path !== path || isSame(entry, current.get(path)));
  const weightOf = (path: string): Weight => {
    if (!mayBeCode(path, unit.rules)) return "none";
    const [status, age] = [statusOf(path), ageOf(path)];
    const weight = weigh(path, status, age, unit.rules);
    const mayBeOwn = status === "tracked" && weight === "code" && isDataName(path) && !isAsCommitted(path);
    return mayBeOwn ? weighOwnData(path, weight, age, unit.rules) : weight;
  };
  return { statusOf, weightOf };
}

function describeStart({ commit, wasClean, later }: StartCommit): Pick<GitEvidence, "commit" | "wasClean" | "movesMs"> {
  // The process may run the changes that a reset dropped.
  const movesMs = later.some(({ isReset }) => isReset) ? [] : later.map(({ atMs }) => atMs);
  return { commit, wasClean, movesMs };
}

interface FileContext {
  readonly sinceMs: number;
  readonly git: FileStatus;
  readonly atStart: Tree | undefined;
}

function describeFile(entry: WalkedEntry, { sinceMs, git, atStart }: FileContext): NewerEntry {
  const isAsCommitted = atStart !== undefined && isSame(entry, atStart.get(entry.path));
  return { ...newerFile(entry, sinceMs), git, isAsCommitted };
}

export function newerFile({ path, modifiedMs, changedMs }: WalkedEntry, sinceMs: number): NewerEntry {
  return { path, kind: "file", isModified: modifiedMs > sinceMs, changedMs };
}

export function newerFolder({ path, changedMs }: WalkedEntry): NewerEntry {
  return { path, kind: "folder", isModified: false, changedMs };
}

interface StartCommit extends ReturnType<typeof findHeadAt> {
  readonly wasClean: boolean;
}

function findCommit(moves: readonly HeadMove[], { startedAt, versioning }: CodeProcess): StartCommit {
  const start = findHeadAt(moves, startedAt);
  const second = Math.floor(startedAt / 1000) * 1000;
  const isMoved = moves.some(({ atMs }) => atMs >= second && atMs <= startedAt + PM2_READS_MS);
  if (versioning === null || isMoved) return { ...start, wasClean: false };
  return { ...start, commit: versioning.revision, others: [], wasClean: !versioning.isDirty };
}

interface Trees {
  readonly files: readonly WalkedEntry[];
  readonly tree: Tree;
  readonly current: Tree;
}

/** Older files are as they were at the start, whatever the commit holds. */
function changedPaths({ unit, newer, gone: recorded }: GitQuestion, { files, tree, current }: Trees): string[] {
  const written = [...files, ...exchangedFiles(unit, newer)].filter(
    (entry) => (tree.has(entry.path) || current.has(entry.path)) && !isSame(entry, tree.get(entry.path)),
  );
  const folders = new Set(newer.filter(({ kind }) => kind === "folder").map(({ path }) => path));
  const known = recorded.filter((path) => tree.has(path) && isTrackedCode(path, unit));
  if (folders.size === 0) return [...written.map(({ path }) => path), ...known].toSorted();
  const present = new Set(unit.walk.entries.map(({ path }) => path));
  const gone = [...tree.keys()].filter(
    (path) => !present.has(path) && isTrackedCode(path, unit) && hasNewerParent(path, present, folders),
  );
  return [...written.map(({ path }) => path), ...gone].toSorted();
}

/** Files of a folder that took the place of another one: they keep their old times, and both folders have new ones. */
function exchangedFiles(unit: GitQuestion["unit"], newer: readonly WalkedEntry[]): WalkedEntry[] {
  const folders = new Set(newer.filter(({ kind }) => kind === "folder").map(({ path }) => path));
  const moved = [...folders].filter((folder) => folder !== "" && folders.has(parentOf(folder)));
  const known = new Set(newer.map(({ path }) => path));
  return unit.files.filter(
    ({ path }) =>
      !known.has(path) && isTrackedCode(path, unit) && moved.some((folder) => path.startsWith(`${folder}/`)),
  );
}

/** Of a path that is in a commit. */
export function isTrackedCode(path: string, { rules }: Pick<Unit, "rules">): boolean {
  return mayBeCode(path, rules) && weigh(path, "tracked", "old", rules) === "code";
}

function hasNewerParent(path: string, present: ReadonlySet<string>, folders: ReadonlySet<string>): boolean {
  let at = parentOf(path);
  while (at !== "" && !present.has(at)) at = parentOf(at);
  return folders.has(at);
}

function parentOf(path: string): string {
  const parent = dirname(path);
  return parent === "." ? "" : parent;
}

function isSame({ absolute, kind }: WalkedEntry, id: string | undefined): boolean {
  if (id === undefined) return false;
  try {
    return blobDigest(absolute, kind, id.length === 64 ? "sha256" : "sha1") === id;
  } catch {
    return false;
  }
}

/** A folder of which Git tracks nothing may have been exchanged as a whole. */
function hasUntracked(
  { path: folder }: WalkedEntry,
  unit: GitQuestion["unit"],
  tracked: (path: string) => boolean,
): boolean {
  const prefix = folder === "" ? "" : `${folder}/`;
  const files = unit.files.filter(({ path }) => path.startsWith(prefix));
  const isOwn = files.some(({ path }) => tracked(path));
  return files.some(
    ({ path }) =>
      !tracked(path) &&
      (!isOwn || !path.slice(prefix.length).includes("/")) &&
      weigh(path, "untracked", "old", unit.rules) === "code",
  );
}

function isLockfileSame({ unit, folder }: GitQuestion, tree: Tree | undefined): boolean {
  const { lockfiles } = unit.install;
  const isSameFile = (lockfile: string): boolean => {
    const id = tree?.get(relative(folder, lockfile));
    return id !== undefined && blobDigest(lockfile, "file", id.length === 64 ? "sha256" : "sha1") === id;
  };
  return lockfiles.length > 0 && lockfiles.every(isSameFile);
}
