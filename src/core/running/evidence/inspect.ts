import { statSync } from "node:fs";
import { dirname, relative } from "node:path";
import type { CodeEvidence, NewerEntry, RecordedCode, Verdict } from "../code-evidence.ts";
import { weigh } from "../code-files.ts";
import { decideCode, isUntouched, isUnwritten } from "../decide-code.ts";
import type { AppCode, CodeProcess, CodeRequest, StartRecord } from "../port-running-code.ts";
import { digestText, type RecordStore } from "./record-store.ts";
import { notInCommit, askGit, type GitAnswer, type GitQuestion } from "./git-evidence.ts";
import {
  FIRST_FILES_MS,
  movedLinks,
  newerEntries,
  readFolderOf,
  type ProcessStart,
  type StartClock,
  isNewer,
  wasExchanged,
  wasWritten,
  mayLackSettings,
} from "./process-start.ts";
import type { Repository } from "./repository.ts";
import { unchangedSince, type Seen } from "./seen.ts";
import type { Unit } from "./unit.ts";
import { realPath, type WalkedEntry } from "./walk.ts";
import { ages, describeWithoutGit, noteBootWrites, withoutOthers, withoutOwnData } from "./weights.ts";

export interface InspectContext {
  readonly unit: Unit;
  /** See `StartRecord`. */
  readonly imports: readonly string[];
  /** Why some imports may be missing; `null` if none is. */
  readonly problem: string | null;
  readonly repository: Repository | undefined;
  readonly store: RecordStore;
  readonly seen: Seen | undefined;
}

export interface Started {
  readonly process: CodeProcess;
  readonly start: ProcessStart;
  readonly record: StartRecord | undefined;
}

export function readStarted(
  { processes }: Pick<CodeRequest, "processes">,
  { clock, store }: { readonly clock: StartClock; readonly store: RecordStore },
): Started[] {
  return processes.map((known) => {
    const process = clock.runningCode(known);
    const start = clock.readStart(process.pid, process.startedAt);
    return { process, start, record: start.identity && store.read({ ...start.identity, pid: process.pid }) };
  });
}

/** Judged apps of which the records and the fingerprint are still to come: those take most of the time of a first look. */
export async function judgeApp(
  request: CodeRequest,
  started: readonly Started[],
  context: InspectContext,
): Promise<() => AppCode> {
  const verdicts = new Map<number, Verdict>();
  const records = new Map<number, StartRecord>();
  const unrecorded: Started[] = [];
  let sources: string | undefined;
  for (const one of started) {
    const { process, record } = one;
    if (record !== undefined) records.set(process.pmId, record);
    const evidence = await gather({ request, ...one }, context);
    const verdict = decideCode(evidence);
    verdicts.set(process.pmId, verdict);
    sources ??= unchangedSources(evidence, record);
    if (evidence.record === null && verdict.verdict === "same" && isUnwritten(evidence)) unrecorded.push(one);
  }
  return () => {
    for (const { process, start } of unrecorded) {
      const written = writeRecord(request, process, start, context);
      if (written !== undefined) records.set(process.pmId, written);
    }
    const fingerprint = fingerprintOf(context, sources ?? sourcesOf(context.unit));
    return { app: request.app, fingerprint, verdicts, records };
  };
}

/** Returns the recorded sources if they are still in place. */
function unchangedSources(evidence: CodeEvidence, record: StartRecord | undefined): string | undefined {
  return evidence.record !== null && isUntouched(evidence) ? record?.sources : undefined;
}

interface Look extends Started {
  readonly request: CodeRequest;
}

async function gather(look: Look, context: InspectContext): Promise<CodeEvidence> {
  const { start, record } = look;
  const { unit, store } = context;
  const seen = record === undefined ? unchangedSince(context, start.sinceMs) : undefined;
  const newer = newerEntries(start, { unit, hasGit: context.repository !== undefined, seen });
  if (!start.isClockSet) noteBootWrites(unit, newer, start.sinceMs, store);
  const isSame = newer.length === 0 && !isImportGone(context) && !mayLackSettings(unit, start.sinceMs);
  const code = record && !isSame ? store.readCode(record.code) : undefined;
  const recorded = record && (isSame || code !== undefined) ? toRecorded(record, code) : null;
  const problem = problemOf(context);
  const place = {
    declared: unit.place,
    running: readRunning(look, unit),
    isClockSet: start.isClockSet,
    problem,
    buildFolder: unit.buildFolder,
    nameOf: (path: string) => unit.nameOf(path),
    isScriptWritten: problem !== null && wasWritten(unit.place.script, start.sinceMs),
    elsewhere: findElsewhere(look.request, unit),
  };
  if (recorded === null) return { ...place, ...(await examineTimes(look, context, newer)) };
  return { ...place, ...(await compareContents(look, context, { recorded, newer })) };
}

/** A script in its own folder has another path there. A wrapper such as npm runs what its folder holds. */
function findElsewhere({ ownFolder }: CodeRequest, { place, rules }: Unit): string | undefined {
  if (ownFolder === undefined || rules.scriptFolder !== null) return undefined;
  const own = realPath(ownFolder);
  return own === null || own === place.cwd ? undefined : own;
}

function problemOf({ unit, problem }: Pick<InspectContext, "unit" | "problem">): string | null {
  return unit.walk.problem ?? problem;
}

/** No folder of the unit shows that. */
function isImportGone({ imports }: InspectContext): boolean {
  return imports.some((path) => statSync(path, { throwIfNoEntry: false }) === undefined);
}

type Examined = Pick<CodeEvidence, "record" | "newer" | "doubts" | "paths" | "install" | "git"> & {
  readonly problem?: string;
};

async function examineTimes(look: Look, context: InspectContext, newer: readonly WalkedEntry[]): Promise<Examined> {
  const { unit } = context;
  const { sinceMs } = look.start;
  const bornMs = new Map(unit.walk.entries.map((entry) => [entry.path, entry.bornMs]));
  const ageOf = ages(unit, sinceMs, (path) => (bornMs.get(path) ?? 0) <= sinceMs);
  const answer = await readGit(look, context, { newer, gone: [], ageOf });
  const described = answer ?? describeWithoutGit(newer, unit, { sinceMs, ageOf });
  // Nothing says whether they were there at the start.
  const lacking = unit.missingSettings.filter(
    (path) => unit.settingsFolders.includes(dirname(path)) && isNewer(dirname(path), sinceMs + FIRST_FILES_MS),
  );
  return {
    record: null,
    ...described,
    doubts: [...described.doubts, ...lacking.map((path) => relative(unit.folder ?? "/", path))],
    paths: null,
    install: installEvidence(unit, sinceMs, answer),
    git: answer?.git ?? null,
  };
}

async function compareContents(
  look: Look,
  context: InspectContext,
  { recorded, newer }: { readonly recorded: RecordedCode; readonly newer: readonly WalkedEntry[] },
): Promise<Examined> {
  const { unit } = context;
  const { sinceMs } = look.start;
  const hasNewerFolder = mayLackFiles(look, context) || newer.some(({ kind }) => kind === "folder");
  const paths = hasNewerFolder ? new Set(unit.walk.entries.map(({ path }) => path)) : null;
  const gone = paths === null ? [] : [...recorded.code.keys()].filter((path) => !paths.has(path));
  const differing = differingFiles(recorded, hasNewerFolder ? unit.files : newer, unit);
  const examined = typeof differing === "string" ? [] : differing;
  const ageOf = ages(unit, sinceMs, (path) => recorded.code.has(path));
  const answer = await readGit(look, context, { newer: examined, gone, ageOf });
  const described = answer ?? describeWithoutGit(examined, unit, { sinceMs, ageOf });
  const weightOf = answer?.weightOf ?? ((path: string) => weigh(path, "no-git", ageOf(path), unit.rules));
  return {
    ...(typeof differing === "string" && { problem: differing }),
    record: withoutOthers(recorded, gone, weightOf),
    newer: withDigests(described.newer, unit),
    doubts: [...described.doubts, ...gone.filter((path) => weightOf(path) === "doubtful")],
    paths,
    install: installEvidence(unit, sinceMs, answer),
    git:
      answer === undefined
        ? null
        : { ...answer.git, notInCommit: await notInCommit(recorded, { ...context, folder: unit.folder }) },
  };
}

function mayLackFiles({ start }: Look, context: InspectContext): boolean {
  return start.isClockSet || isImportGone(context) || mayLackSettings(context.unit, start.sinceMs);
}

/**
 * A folder that takes the place of another one has files with their old times, so a newer folder makes each file
 * suspicious. A text says why they cannot be compared.
 */
function differingFiles(record: RecordedCode, files: readonly WalkedEntry[], unit: Unit): WalkedEntry[] | string {
  if (files.length === 0) return [];
  const { digests } = unit;
  if (typeof digests === "string") return digests;
  return files.filter(({ kind, path }) => kind !== "folder" && digests.get(path) !== record.code.get(path));
}

function toRecorded(
  { cwd, script, commit, install, links }: StartRecord,
  code: ReadonlyMap<string, string> = new Map(),
): RecordedCode {
  return { cwd, script, commit, install, links, code };
}

/** No process of Git is started where nothing is newer. */
async function readGit(
  { process, start }: Look,
  { unit, imports, problem, repository }: InspectContext,
  { newer, gone, ageOf }: Pick<GitQuestion, "newer" | "gone" | "ageOf">,
): Promise<GitAnswer | undefined> {
  const { folder, install } = unit;
  const hasReason = newer.length > 0 || gone.length > 0 || install.changedMs > start.sinceMs;
  if (repository === undefined || folder === undefined || !hasReason || problemOf({ unit, problem }) !== null)
    return undefined;
  const question = { unit, folder, imports, repository, process, sinceMs: start.sinceMs, newer, gone, ageOf };
  return await askGit(question).catch(() => undefined);
}

function withDigests(newer: readonly NewerEntry[], unit: Unit): readonly NewerEntry[] {
  if (newer.length === 0) return newer;
  const { digests } = unit;
  if (typeof digests === "string") return newer;
  return newer.map((entry) => {
    const digest = digests.get(entry.path);
    return digest === undefined ? entry : { ...entry, digest };
  });
}

function readRunning({ request, process, start, record }: Look, unit: Unit): CodeEvidence["running"] {
  const { cwd, isDeleted } = readFolderOf(process.pid);
  const since = start.sinceMs;
  return {
    cwd,
    isDeleted,
    movedLinks: movedLinks(request.cwd, since),
    movedScriptLinks: request.script.startsWith(`${request.cwd}/`)
      ? movedLinks(request.script, since, request.cwd).map((link) => link.slice(request.cwd.length + 1))
      : movedLinks(request.script, since),
    isExchanged: unit.place.cwd !== null && wasExchanged(unit.place.cwd, since),
    isFormerThere: record === undefined || statSync(record.cwd, { throwIfNoEntry: false }) !== undefined,
  };
}

function installEvidence({ install }: Unit, sinceMs: number, answer: GitAnswer | undefined): CodeEvidence["install"] {
  const { digest, changedMs, modifiedMs, links } = install;
  const newer = changedMs <= sinceMs ? "no" : modifiedMs <= sinceMs ? "touched" : "written";
  return { digest, newer, links, isAsCommitted: answer?.isLockfileAsCommitted === true };
}

function writeRecord(
  { app, envFiles = {} }: CodeRequest,
  { pmId, pid, startedAt }: CodeProcess,
  { identity, sinceMs }: ProcessStart,
  { unit, imports, repository, store }: InspectContext,
): StartRecord | undefined {
  const { digests, place, install } = unit;
  if (identity === undefined || typeof digests === "string" || place.cwd === null) return undefined;
  if (!unit.isAsWalked()) return undefined;
  const unchanged = Object.entries(envFiles).filter(([path]) => !isNewer(path, sinceMs));
  const record = {
    app,
    pmId,
    pid,
    ...identity,
    startedAt,
    recordedAt: Date.now(),
    cwd: place.cwd,
    script: place.script,
    commit: repository?.head() ?? null,
    install: install.digest,
    links: install.links,
    sources: sourcesOf(unit),
    imports,
    envFiles: Object.fromEntries(unchanged),
  };
  return { ...record, code: store.write(record, withoutOwnData(digests, unit, sinceMs)) };
}

function fingerprintOf({ unit: { place, install }, repository }: InspectContext, sources: string): string {
  return digestText(JSON.stringify([place, repository?.head() ?? null, install.digest, sources]));
}

/** Without data that the app writes, which would make each plan stale. */
function sourcesOf({ digests }: Unit): string {
  if (typeof digests === "string") return digests;
  const sources = [...digests].filter(([path]) => SOURCE.test(path)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return digestText(JSON.stringify(sources));
}

const SOURCE = /\.(?:[cm]?[jt]sx?|wasm|node|py|rb|php|sh|vue|svelte|astro)$/i;
