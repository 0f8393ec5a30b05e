import type { DriftEntry } from "../api/drift.ts";
import type { appKinds } from "../api/names.ts";
import type { Settings } from "../pm2/settings.ts";

/** In the reason of a doubt that no restart ends; what ends it follows. */
export const KEPT_BY_RESTART = "; a restart keeps";

/** The evidence of the code that a process runs, as data. */
export interface CodeEvidence {
  readonly declared: Place;
  readonly running: RunningPlace;
  /** The real folder of the declaration, if its code is elsewhere than that of the process. */
  readonly elsewhere?: string | undefined;
  /** The code of the start, if it was recorded then, or later while nothing had changed. */
  readonly record: RecordedCode | null;
  /** The clock was set since the start, so no order of times is evidence. */
  readonly isClockSet: boolean;
  /** Why the unit could not be read as a whole; `null` if it was. */
  readonly problem: string | null;
  /** The script itself was written after the start; only known where the unit could not be read. */
  readonly isScriptWritten?: boolean;
  /** Files and links that are code, and folders, that changed after the start. All of them if the clock was set. */
  readonly newer: readonly NewerEntry[];
  /** Of files that changed after the start, and that the app may load or write. `svcm.yaml` can say which. */
  readonly doubts: readonly string[];
  /** Every path of the unit; absent where no folder changed. */
  readonly paths: ReadonlySet<string> | null;
  readonly install: InstallEvidence;
  /** Relative to the unit: the folder of the script, if its name is that of a build. */
  readonly buildFolder?: string | undefined;
  /** `null` without Git. */
  readonly git: GitEvidence | null;
  /** The name to show for a path; the path itself if it is absent. */
  readonly nameOf?: ((path: string) => string) | undefined;
}

/** Real paths, with every link resolved; `null` if they do not exist. */
export interface Place {
  readonly cwd: string | null;
  readonly script: string | null;
}

export interface RunningPlace {
  /** The folder in which the process is, by the kernel; `null` if this user may not know. */
  readonly cwd: string | null;
  /** The folder was removed, or another one took its place. */
  readonly isDeleted: boolean;
  /** Links on the declared path to the folder that were written after the start. */
  readonly movedLinks: readonly string[];
  /** Links between the folder and the script, written after the start. */
  readonly movedScriptLinks: readonly string[];
  /** Since the start, another folder may have got the name of the declared one. */
  readonly isExchanged: boolean;
  /** The recorded folder still exists. */
  readonly isFormerThere: boolean;
}

export interface RecordedCode extends Place {
  readonly commit: string | null;
  readonly code: ReadonlyMap<string, string>;
  readonly install: string | null;
  /** Links of the workspace and their targets; absent in the record of an older svcm. */
  readonly links?: Readonly<Record<string, string>> | undefined;
}

export interface NewerEntry {
  readonly path: string;
  readonly kind: "file" | "folder";
  /** The content was written after the start, too, and not only its name, owner or mode. */
  readonly isModified: boolean;
  readonly changedMs: number;
  /** Absent for a folder. */
  readonly digest?: string;
  readonly git?: "tracked" | "untracked" | "ignored";
  /** The same content as in the commit at the start. */
  readonly isAsCommitted?: boolean;
  /** The folder holds code that Git does not track, so Git does not know whether it was exchanged. */
  readonly hasUntracked?: boolean;
}

export interface InstallEvidence {
  readonly links?: Readonly<Record<string, string>>;
  /** Of the lockfile and the install marker; `null` without both. */
  readonly digest: string | null;
  readonly newer: "no" | "touched" | "written";
  /** The lockfile is as in the commit at the start. */
  readonly isAsCommitted: boolean;
}

export interface GitEvidence {
  /** HEAD at the start; `null` if it cannot be known. */
  readonly commit: string | null;
  readonly now: string;
  /** PM2 recorded that nothing was uncommitted at the start. */
  readonly wasClean: boolean;
  /** HEAD moved in the second of the start, and only one of both commits is what is in place now. */
  readonly isAmbiguous: boolean;
  /** The commit at the start is no longer in the repository. */
  readonly isCommitGone: boolean;
  /** Tracked paths of the unit that differ from the commit at the start. */
  readonly changed: readonly string[];
  /** Those of them that differ between both commits. */
  readonly committed: readonly string[];
  /** Recorded paths that the record's commit lacks, or has with other content. */
  readonly notInCommit?: ReadonlySet<string>;
  /** When HEAD moved after the start, in milliseconds since 1970, with the resolution of a second. */
  readonly movesMs: readonly number[];
}

/**
 * Compares the code or the values of a process with those that are declared now. `unknown` never counts as `same`.
 * @see CONTRACT section 13
 */
export type Verdict =
  | { readonly verdict: "same" }
  | { readonly verdict: "changed"; readonly reasons: readonly [ChangeReason, ...ChangeReason[]] }
  | { readonly verdict: "unknown"; readonly reason: string };

export interface ChangeReason {
  /**
   * `different`: what runs still exists elsewhere, such as in another folder or commit. `stale`: it was replaced in place.
   * `absent`: it is gone.
   */
  readonly state: "different" | "stale" | "absent";
  /** In words, without a value: `4a91c77 to 728e20b, 3 files`, `PAGE_SIZE changed in .env`. */
  readonly details: string;
  /** A variable. */
  readonly key?: string;
  readonly declared?: DriftEntry["declared"];
  readonly running?: DriftEntry["running"];
}

/** By PM2's number of the process. A process without a verdict was not examined. */
export type Verdicts = Readonly<Partial<Record<"code" | "values", ReadonlyMap<number, Verdict>>>>;

/**
 * `service`: runs until a user stops it. `job`: a schedule starts it and it ends by itself, so it is in place while
 * it waits. `task`: runs once and ends by itself.
 * @see CONTRACT section 13, "Jobs"
 */
export type AppKind = (typeof appKinds)[number];

export function appKind({ autorestart, cronRestart }: Settings): AppKind {
  if (autorestart !== false) return "service";
  return typeof cronRestart === "string" ? "job" : "task";
}

export interface UnitQuestion extends Place {
  /** As declared, before links are resolved. */
  readonly declaredCwd: string;
  readonly declaredScript: string;
  /** Real folder of the service, unless it is the whole repository. */
  readonly serviceFolder: string | null;
  /** Real root of the repository. */
  readonly root: string;
  readonly hasPackage: (folder: string) => boolean;
}

export interface CodeUnit {
  readonly folder: string;
  /** Relative to the unit; `null` if the script is outside, as that of a wrapper such as npm. */
  readonly scriptFolder: string | null;
}

/** PM2's own server reads each file when a request comes, so it never serves former ones. */
const STATIC_SERVER = /\/pm2\/lib\/API\/Serve\.js$/;

function isStaticServer(script: string | null): boolean {
  return script !== null && STATIC_SERVER.test(script);
}

/** `undefined` if the folder of the app does not exist, and for an app that loads nothing of it. */
export function findUnit(question: UnitQuestion): CodeUnit | undefined {
  const { cwd, script } = question;
  if (cwd === null || isStaticServer(script)) return undefined;
  const ofFolder = folderUnit(question, cwd);
  if (script === null || isInstalled(script)) return { folder: ofFolder, scriptFolder: null };
  const isThroughLink = isInside(script, cwd) && hasLinkBelow(question, cwd, script);
  if (isInside(script, ofFolder) && !isThroughLink) return withScript(ofFolder, script);
  if (!isThroughLink && !/\.[cm]?[jt]sx?$/.test(script)) return { folder: ofFolder, scriptFolder: null };
  // Modules are found from the real path of the script, not from the working folder.
  const own = parentOf(script);
  return withScript(nearestPackage(own, question, isThroughLink ? cwd : "/") ?? own, script);
}

function folderUnit(question: UnitQuestion, cwd: string): string {
  const { serviceFolder, declaredCwd, root } = question;
  const isLinked = declaredCwd !== cwd;
  if (serviceFolder !== null && isInside(cwd, serviceFolder) && !isLinked) return serviceFolder;
  return nearestPackage(cwd, question, isInside(cwd, root) ? parentOf(root) : parentOf(cwd)) ?? cwd;
}

/** @param end is not included */
function nearestPackage(folder: string, { hasPackage }: UnitQuestion, end: string): string | undefined {
  for (let at = folder; at.length > 1 && at !== end; at = parentOf(at)) if (hasPackage(at)) return at;
  return undefined;
}

function hasLinkBelow({ declaredCwd, declaredScript }: UnitQuestion, cwd: string, script: string): boolean {
  if (!isInside(declaredScript, declaredCwd)) return false;
  return declaredScript.slice(declaredCwd.length) !== script.slice(cwd.length);
}

function withScript(folder: string, script: string): CodeUnit {
  return { folder, scriptFolder: parentOf(script).slice(folder.length + 1) };
}

/** An installed program only starts the code of the app. */
export function isInstalled(script: string): boolean {
  return script.includes("/node_modules/") || /^\/(?:bin|sbin|usr\/(?:bin|sbin|lib|local\/bin))\//.test(script);
}

/** Programs that only start others. One version of them is as good as another. */
const LAUNCHER =
  /\/(?:node|nodejs|bun|deno|python[\d.]*|ruby|php[\d.]*|perl|java|env|(?:ba|da|z|k)?sh|(?:npm|npx|pnpm|pnpx|yarn|yarnpkg|bunx|corepack)(?:-cli)?(?:\.[cm]?js)?)$/;

/** A program of the system, or of a package that no lockfile of the app has, is what the app runs. */
export function isLauncher(script: string): boolean {
  return LAUNCHER.test(script);
}

/** The folder of the package that has the script; `undefined` if it is not installed. */
export function packageOf(script: string): string | undefined {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(script)?.[0];
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 1));
}

export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? folder : `${folder}/`);
}
