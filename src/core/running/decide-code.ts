import {
  KEPT_BY_RESTART,
  type ChangeReason,
  type CodeEvidence,
  type GitEvidence,
  type NewerEntry,
  type RecordedCode,
  type Verdict,
} from "./code-evidence.ts";
import { isBuiltInto, isInBuild } from "./code-files.ts";
import { ownMember } from "../words/record.ts";
import { nameList, pluralize } from "../words/text.ts";

const SAME: Verdict = { verdict: "same" };
/** A checkout writes the files first, then moves HEAD. */
const CHECKOUT_MS = 120_000;

/**
 * Compares the code that a process runs with the code in place; the first evidence that decides counts. Only content
 * proves that nothing changed; times only show where to look.
 * @see CONTRACT section 13
 */
export function decideCode(evidence: CodeEvidence): Verdict {
  return decidePlace(evidence) ?? decideUnreadable(evidence) ?? decideContent(evidence);
}

function decideContent(evidence: CodeEvidence): Verdict {
  const { record, doubts, declared, elsewhere } = evidence;
  const verdict = record === null ? decideWithoutRecord(evidence) : decideByRecord(evidence, record);
  const [doubt] = doubts;
  if (verdict.verdict !== "same") return verdict;
  if (elsewhere !== undefined)
    return unknown(
      `it runs in ${declared.cwd ?? "another folder"}, and its file is in ${elsewhere}; PM2 keeps the folder of the first start, unless the file declares cwd`,
    );
  if (doubt === undefined) return verdict;
  return unknown(
    `${namesText(doubts, evidence)} changed after its start, and it may be code or data; code.include or code.exclude in svcm.yaml says which`,
  );
}

/** True if the files are certainly those that the process was started with, so they can be recorded. */
export function isUntouched({ newer, doubts, install, isClockSet, problem }: CodeEvidence): boolean {
  return newer.length === 0 && doubts.length === 0 && install.newer === "no" && !isClockSet && problem === null;
}

/** No file was written: at most names in a folder changed, and the verdict says if one of them is code. */
export function isUnwritten(evidence: CodeEvidence): boolean {
  return isUntouched({ ...evidence, newer: evidence.newer.filter(({ kind }) => kind !== "folder") });
}

function decidePlace({ declared, running, record }: CodeEvidence): Verdict | undefined {
  if (running.isDeleted) return changed({ state: "absent", details: "it runs in a folder that was deleted" });
  if (record !== null) return comparePlaces(record, declared, running.isFormerThere);
  if (declared.cwd === null) return unknown("its folder cannot be read");
  const [link] = running.movedLinks;
  if (link !== undefined) {
    if (running.cwd === null) return unknown(`${link} was replaced after its start, and its folder cannot be read`);
    if (running.cwd !== declared.cwd) return moved(running.cwd, declared.cwd, "different");
  }
  if (running.isExchanged && areSiblings(running.cwd, declared.cwd))
    return moved(running.cwd, declared.cwd, "different");
  // A process may change its folder by itself, so another folder alone proves nothing.
  const [scriptLink] = running.movedScriptLinks;
  if (scriptLink === undefined || declared.script === null) return undefined;
  const target = upperFolder(declared.script);
  return changed({ state: "different", details: `${scriptLink} now leads to ${target}`, declared: target });
}

function comparePlaces(
  record: RecordedCode,
  declared: CodeEvidence["declared"],
  isThere: boolean,
): Verdict | undefined {
  const state = isThere ? "different" : "absent";
  if (record.cwd !== null && declared.cwd !== null && record.cwd !== declared.cwd)
    return moved(record.cwd, declared.cwd, state);
  if (record.script !== null && declared.script !== null && record.script !== declared.script)
    return moved(record.script, declared.script, state);
  return undefined;
}

function moved(from: string, to: string, state: ChangeReason["state"]): Verdict {
  const [running, declared] = foldersText(from, to);
  return changed({ state, details: `${running} to ${declared}`, declared, running });
}

function areSiblings(a: string | null, b: string): a is string {
  return a !== null && a !== b && a.slice(0, a.lastIndexOf("/")) === b.slice(0, b.lastIndexOf("/"));
}

function decideUnreadable(evidence: CodeEvidence): Verdict | undefined {
  const { problem, isClockSet, record, declared, isScriptWritten } = evidence;
  if (problem !== null && isScriptWritten === true && !isClockSet && declared.script !== null)
    return changed({ state: "stale", details: declared.script });
  if (problem !== null)
    return unknown(
      `${problem}${KEPT_BY_RESTART} that, so look again, or name what is not code in code.exclude of svcm.yaml`,
    );
  return isClockSet && record === null
    ? unknown("the clock was set after its start, or PM2 runs in another container")
    : undefined;
}

function decideByRecord(evidence: CodeEvidence, record: RecordedCode): Verdict {
  const { newer, paths, install, git } = evidence;
  const written = newer.filter(({ kind, path, digest }) => kind === "file" && record.code.get(path) !== digest);
  const gone = paths === null ? [] : [...record.code.keys()].filter((path) => !paths.has(path));
  const names = [...written.map(({ path }) => path), ...gone].toSorted();
  // A file that is new since the start is not what runs.
  const former = names.filter((name) => record.code.has(name));
  const isCommitted = !former.some((name) => git?.notInCommit?.has(name));
  const commits = { from: isCommitted ? record.commit : null, to: git?.now ?? null };
  if (names.length > 0) return changedFiles(names, commits, git !== null && commits.from !== null, evidence);
  if (install.digest !== record.install) return changed({ state: "stale", details: "dependencies" });
  const [link] = movedPackages(record.links, install.links);
  return link === undefined ? SAME : changed({ state: "stale", details: `${link} leads to another folder` });
}

/** From the last folder `node_modules` on. */
function movedPackages(before: RecordedCode["links"], now: RecordedCode["links"] = {}): string[] {
  if (before === undefined) return [];
  const links = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  const retargeted = links.filter((link) => ownMember(before, link) !== ownMember(now, link)).toSorted();
  return retargeted.map((link) => link.slice(link.lastIndexOf("/node_modules/") + 1));
}

function decideWithoutRecord(evidence: CodeEvidence): Verdict {
  if (isUntouched(evidence)) return SAME;
  const { git } = evidence;
  const verdict =
    git === null || git.commit === null ? decideByTimes(evidence) : decideByGit(evidence, git, git.commit);
  if (verdict.verdict === "changed") return verdict;
  return decideInstall(evidence) ?? verdict;
}

function decideByGit(evidence: CodeEvidence, git: GitEvidence, commit: string): Verdict {
  const { newer } = evidence;
  if (git.isCommitGone)
    return unknown(`the commit of its start, ${shortCommit(commit)}, is no longer in the repository`);
  const others = newer.filter(({ kind, git: status }) => kind === "file" && status !== "tracked");
  const written = others.filter(({ isModified }) => isModified).map(({ path }) => path);
  const names = [...new Set([...git.changed, ...written])].toSorted();
  if (git.isAmbiguous)
    return unknown(`HEAD moved in the second of its start, so it may run ${shortCommit(commit)} or the commit before`);
  if (names.length > 0) return changedFiles(names, { from: commit, to: git.now }, written.length === 0, evidence);
  const [touched] = others;
  if (touched !== undefined) return unknown(touchedText(touched, evidence));
  const exchanged = newer.find(({ hasUntracked }) => hasUntracked === true);
  if (exchanged !== undefined) return unknown(namesChangedText(exchanged, evidence));
  const [unexplained] = git.wasClean ? [] : newer.filter((entry) => isTracked(entry) && !isExplained(entry, git));
  if (unexplained !== undefined)
    return unknown(
      `${shownName(unexplained.path, evidence)} was written after its start and is as in ${shortCommit(commit)}, so it may have differed at the start`,
    );
  return SAME;
}

function isTracked({ kind, git }: NewerEntry): boolean {
  return kind === "file" && git === "tracked";
}

/** A checkout of another commit and back writes the files again. */
function isExplained({ changedMs }: NewerEntry, { movesMs }: GitEvidence): boolean {
  return movesMs.some((atMs) => changedMs < atMs + 2000 && changedMs > atMs - CHECKOUT_MS);
}

function decideByTimes(evidence: CodeEvidence): Verdict {
  const { newer, git } = evidence;
  const files = newer.filter(({ kind }) => kind === "file");
  const written = files.filter(({ isModified }) => isModified).map(({ path }) => path);
  if (written.length > 0) return changedFiles(written.toSorted(), { from: null, to: null }, false, evidence);
  const why = git === null ? "" : ", and Git does not know the commit of its start";
  const [touched] = files;
  if (touched !== undefined) return unknown(`${touchedText(touched, evidence)}${why}`);
  const [folder] = newer;
  return folder === undefined ? SAME : unknown(`${namesChangedText(folder, evidence)}${why}`);
}

type Naming = Pick<CodeEvidence, "nameOf">;

function touchedText({ path }: NewerEntry, naming: Naming): string {
  return `${shownName(path, naming)} was touched or copied with its old time after its start`;
}

function namesChangedText({ path }: NewerEntry, naming: Naming): string {
  return `names in ${path === "" ? "its folder" : shownName(path, naming)} changed after its start`;
}

function shownName(path: string, { nameOf }: Naming): string {
  return nameOf === undefined ? path : nameOf(path);
}

function decideInstall({ install, git }: CodeEvidence): Verdict | undefined {
  if (install.newer === "no") return undefined;
  if (install.newer === "touched" || (install.isAsCommitted && git !== null))
    return unknown("the dependencies were installed again after its start");
  return changed({ state: "stale", details: "dependencies" });
}

function changedFiles(
  names: readonly string[],
  { from, to }: { readonly from: string | null; readonly to: string | null },
  canReturn: boolean,
  { git, buildFolder, nameOf }: Pick<CodeEvidence, "git" | "buildFolder" | "nameOf">,
): Verdict {
  const state = canReturn ? "different" : "stale";
  const unbuilt =
    buildFolder !== undefined && isBuildUnchanged(names, buildFolder) ? `; ${buildFolder} has not changed` : "";
  // Build output belongs to the commit from which it was built.
  const isUncommitted = (name: string): boolean =>
    git?.commit === from && git.changed.includes(name) && !git.committed.includes(name);
  const others = names.filter(isUncommitted).length;
  if (from === null || to === null || from === to || others === names.length)
    return changed({ state, details: `${namesText(names, { nameOf })}${unbuilt}` });
  const [running, declared] = [shortCommit(from), shortCommit(to)];
  const uncommitted = others === 0 ? "" : `, ${others} of them not committed`;
  return changed({
    state,
    details: `${codeText(running, declared, names)}${uncommitted}${unbuilt}`,
    declared,
    running,
  });
}

/** A restart would run the former build. */
function isBuildUnchanged(names: readonly string[], folder: string): boolean {
  return names.some((name) => isBuiltInto(folder, name)) && !names.some((name) => isInBuild(name));
}

function changed(reason: ChangeReason): Verdict {
  return { verdict: "changed", reasons: [reason] };
}

function unknown(reason: string): Verdict {
  return { verdict: "unknown", reason };
}

const MAX_NAMES = 3;
const SHORT = 7;

/** `4a91c77 to 728e20b, 3 files` */
function codeText(from: string, to: string, names: readonly string[]): string {
  return `${from} to ${to}, ${pluralize(names.length, "file")}`;
}

/** `src/mail.js`, or `5 files: a.js, b.js, c.js and 2 more` */
function namesText(paths: readonly string[], naming: Naming): string {
  const names = paths.map((path) => shownName(path, naming));
  const [only] = names;
  if (names.length === 1 && only !== undefined) return only;
  return `${pluralize(names.length, "file")}: ${nameList(names, MAX_NAMES)}`;
}

/** Without what both paths have in common, but with the folder above: `releases/2` and `releases/1`. */
function foldersText(from: string, to: string): readonly [string, string] {
  const [a, b] = [from.split("/"), to.split("/")];
  let common = 0;
  while (common < Math.min(a.length, b.length) - 1 && a[common] === b[common]) common += 1;
  const kept = Math.max(common - 1, 0);
  if (kept === 0) return [from, to];
  return [a.slice(kept).join("/"), b.slice(kept).join("/")];
}

/** The last folders of a script's path: `releases/1` of `/srv/app/releases/1/server.js`. */
function upperFolder(script: string): string {
  return script.split("/").slice(0, -1).slice(-2).join("/");
}

function shortCommit(commit: string): string {
  return commit.slice(0, SHORT);
}
