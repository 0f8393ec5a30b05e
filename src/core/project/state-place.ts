import type { FileStamps } from "../files/ports.ts";
import { baseName } from "../words/text.ts";
import { PROJECT_FILE } from "./project.ts";

/** Decides where svcm's own files may be without restarting an app. @see CONTRACT section 2b */

const PATTERN_FIELD = /\b(?:ignore_watch|ignored)\b["']?\s*:\s*(\[[^\]]*\]|"[^"\n]*"|'[^'\n]*'|[^,}\n]+)/g;

export const WATCH_FIELD = /\bwatch["']?\s*:\s*(?!\s*["']?false\b)/;

/**
 * A PM2 file whose watch may cover `.svcm`. PM2's own default ignores folders with a dot; an `ignore_watch` replaces it.
 * The file is read, not run: where it computes a value, the answer is yes.
 */
export function mayWatchState(text: string): boolean {
  if (!WATCH_FIELD.test(text)) return false;
  return [...text.matchAll(PATTERN_FIELD)].some(([, value = ""]) => !ignoresState(patternsIn(value)));
}

function patternsIn(value: string): string[] {
  return [...value.matchAll(/"([^"\n]*)"|'([^'\n]*)'|\/((?:\\.|[^/\n])+)\/|(?:^|\s)-\s+(\S+)/g)].map(
    ([, a, b, c, d]) => a ?? b ?? c ?? d ?? "",
  );
}

const STATE_PATTERN = /^(?:\.\/|\*\*\/)?\.(?:svcm|\*)(?:\/(?:\*\*?(?:\/\*)?)?)?$/;

/** Only patterns that surely cover the folder count. */
export function ignoresState(patterns: readonly string[]): boolean {
  return patterns.some(
    (pattern) =>
      STATE_PATTERN.test(pattern) || /^\[\\*\/\\*\\*\/\]\\\.$|^\(\^\|\[\\*\/\\*\\*\/\]\)\\\.\.?$/.test(pattern),
  );
}

/** `releases/<one>` beside a link `current`, or beside `shared`: the folder above them outlives the release. */
export function deployRootOf(root: string, exists: (path: string) => boolean): string | undefined {
  const [, deployRoot] = /^(.+)\/releases\/[^/]+$/.exec(root) ?? [];
  if (deployRoot === undefined) return undefined;
  return exists(`${deployRoot}/current`) || exists(`${deployRoot}/shared`) ? deployRoot : undefined;
}

/** Of a folder in a release, the deploy root: what keeps a folder in use would keep the release from being removed. */
export function lastingFolder(folder: string, exists: (path: string) => boolean): string {
  const [, release = folder] = /^(.+\/releases\/[^/]+)(?:\/|$)/.exec(folder) ?? [];
  return deployRootOf(release, exists) ?? folder;
}

/** Equal for the same file or folder of two releases beside each other. */
export function placeInRelease(path: string): string {
  return path.replace(/\/releases\/[^/]+(?=\/|$)/, "/releases/*");
}

/** A number, a date, a version or a commit, alone or joined. */
const RELEASE = /^(?:releases?|current|[vr]?\d[\d._T:-]*Z?(?:[-_][0-9a-f]{7,40})?|[0-9a-f]{7,40})$/i;

/** Folders with such names are releases of what their parent folder holds. */
export function isReleaseName(name: string): boolean {
  return RELEASE.test(name);
}

/** The repository counts before a folder in it that has its own `svcm.yaml`. */
const MARKERS = [[".git"], [PROJECT_FILE, "deployments.yaml"]];

/** The checkout, or the folder of a release, that holds the path. */
export function checkoutOf(stamps: FileStamps, path: string): string | undefined {
  const folders = ancestors(path);
  for (const names of MARKERS) {
    const isMarked = (folder: string): boolean =>
      stamps.read(names.map((name) => `${folder}/${name}`)).some((stamp) => stamp !== null);
    const found = folders.find(isMarked);
    if (found !== undefined) return found;
  }
  return undefined;
}

function ancestors(path: string): string[] {
  const parent = path.slice(0, path.lastIndexOf("/"));
  return path === "" ? [] : [path, ...ancestors(parent)];
}

/** Two paths of one folder, and releases beside each other, are one place. */
export function isSamePlace(stamps: FileStamps, first: string, second: string): boolean {
  const places = [first, second].map(withoutRelease);
  const [one, other] = stamps.read(places);
  return places[0] === places[1] || (one !== null && one?.id === other?.id);
}

/** Folders such as `shop-1.2.0` and `shop-1.3.0`, or `shop-blue` and `shop-green`, beside each other. */
export function isVersionOf(first: string, second: string): boolean {
  const [one, other] = [first, second].map((folder) => folder.replace(VERSION, ""));
  return one === other;
}

const VERSION = /[-_.](?:v?\d[\w.]*(?:[-_.][\w.]+)?|[0-9a-f]{7,40}|blue|green|old|new|next|previous)$/i;

/** Of releases beside each other, what holds them. */
export function withoutRelease(folder: string): string {
  const parent = folder.slice(0, folder.lastIndexOf("/"));
  const isRelease = isReleaseName(baseName(folder)) || baseName(parent) === "releases";
  return isRelease && parent.lastIndexOf("/") > 0 ? withoutRelease(parent) : folder;
}
