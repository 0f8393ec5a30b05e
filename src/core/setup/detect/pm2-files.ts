import { isPm2Name } from "../../pm2/pm2-names.ts";
import { baseName } from "../../words/path.ts";
import { environmentInName } from "./environment-names.ts";
import { parseApps, stripComments, type Pm2App } from "./parse-apps.ts";
import { callsIn, scriptsStartedIn, type Pm2Call } from "./pm2-calls.ts";
import type { DetectionNote, Pm2File, RunningApp } from "./pm2-file.ts";
import type { UndecidedFile } from "../../project/project.ts";
import { WATCH_FIELD } from "../../project/state-place.ts";
import { selectFiles } from "./select-files.ts";
import { startsOf } from "./starts.ts";
import { folderOf, isScriptLikePm2, joinPath, packageFolderOf, type Survey } from "./survey.ts";

export interface Pm2Detection {
  readonly pm2: readonly Pm2File[];
  readonly undecided: readonly UndecidedFile[];
  readonly notUnderstood: readonly DetectionNote[];
}

export function detectPm2Files(
  { files }: Survey,
  packages: readonly string[],
  running: readonly RunningApp[] = [],
): Pm2Detection {
  const calls = callsIn(files);
  const found: Pm2File[] = [];
  const notes: DetectionNote[] = [];
  for (const [path, text = ""] of files) {
    notes.push(...nameNotes(path));
    if (!isCandidate(path, text, calls)) continue;
    const isBroken = isUnwantedModule(path, files, packages);
    notes.push(...textNotes(path, text), ...(isBroken ? [{ path, line: 1, what: moduleNote(path) }] : []));
    found.push({ ...pm2File(path, text, calls, files, packages), isBroken });
  }
  const { pm2, undecided, skipped } = selectFiles(found, running, scriptsStartedIn(files));
  return { pm2, undecided, notUnderstood: [...notes, ...skipped] };
}

/** Named like a PM2 file, or started as one. */
function isCandidate(path: string, text: string, calls: readonly Pm2Call[]): boolean {
  const isNamed = isPm2Name(baseName(path));
  if (!isNamed && !calls.some(({ file, kind }) => file === path && kind !== "readme")) return false;
  return (isNamed && isComputedFile(path, text)) || /\b(?:apps|script|cmd|exec)\b["']?\s*:/.test(text);
}

function nameNotes(path: string): DetectionNote[] {
  if (!isScriptLikePm2(baseName(path))) return [];
  return [{ path, line: 1, what: "PM2 would run this file as a script, because its name does not end in .config.js" }];
}

const WATCHED =
  "PM2 watches files: a change of svcm.yaml or of an env file there restarts the app, unless ignore_watch names it";

function textNotes(path: string, text: string): DetectionNote[] {
  const line = findLine(text, /\benv_file\b["']?\s*:/);
  const watch = WATCH_FIELD.test(stripComments(path, text)) ? findLine(text, WATCH_FIELD) : undefined;
  return [
    ...(isComputedFile(path, text)
      ? [{ path, line: 1, what: "it computes its apps: svcm ecosystem show lists them" }]
      : []),
    ...(line === undefined ? [] : [{ path, line, what: "env_file is a field that PM2 ignores" }]),
    ...(watch === undefined ? [] : [{ path, line: watch, what: WATCHED }]),
  ];
}

/** `module.exports = require("./apps")` or `{ apps }`: only PM2, which runs the file, knows its apps. */
function isComputedFile(path: string, source: string): boolean {
  if (!/^ecosystem[\w.-]*\.config\.[cm]?js$/i.test(baseName(path))) return false;
  const text = stripComments(path, source);
  if (/\b(?:script|cmd|exec)\b["']?\s*:/.test(text)) return false;
  return /\bmodule\.exports\s*=\s*(?:require\s*\(|[\w$.]+\s*\(|[A-Za-z_$][\w$.]*\s*;?\s*$)|[{,]\s*apps\s*[,}]|\bapps\s*:\s*[A-Za-z_$]/m.test(
    text,
  );
}

/** With such a package.json, Node.js treats `.js` files as ES modules, which PM2 cannot require. */
function isUnwantedModule(path: string, files: Survey["files"], packages: readonly string[]): boolean {
  const home = packageFolderOf(path, packages);
  const manifest = files.get(home === "." ? "package.json" : `${home}/package.json`) ?? "";
  if (path.endsWith(".config.mjs")) return /\bexport\s+default\b/.test(files.get(path) ?? "");
  return path.endsWith(".config.js") && /"type"\s*:\s*"module"/.test(manifest);
}

function moduleNote(path: string): string {
  const name = baseName(path).replace(/\.m?js$/, ".cjs");
  if (path.endsWith(".mjs"))
    return `PM2 finds no app in this file, because it exports them as default. Rename it to ${name}, with module.exports`;
  return `PM2 cannot read this file, because package.json has "type": "module". Rename it to ${name}, with module.exports`;
}

function pm2File(
  path: string,
  source: string,
  allCalls: readonly Pm2Call[],
  files: Survey["files"],
  packages: readonly string[],
): Omit<Pm2File, "isBroken"> {
  const text = stripComments(path, source);
  const calls = strongest(allCalls.filter(({ file }) => file === path));
  const named = environmentInName(baseName(path).replace(/^(?:ecosystem|pm2|process)/i, ""));
  const apps = parseApps(path, source);
  const cwd = callFolder(calls) ?? inferFolder(path, apps, files, packages);
  const home = packages.includes(cwd) || cwd === "." ? cwd : packageFolderOf(`${cwd}/x`, packages);
  return {
    path,
    home,
    cwd,
    named,
    apps,
    calls,
    isPlain: !COMPUTED.test(text),
    ...startsOf(text, { named, apps }, calls),
  };
}

/** Spreads of arguments and objects are fine; these make the list of apps. */
const COMPUTED =
  /\.(?:map|flatMap|push|concat|unshift|filter|reduce|fromEntries)\(|Array\.from|\bfor\s*\(|\[\s*\.\.\.|,\s*\.\.\.[\w.]+\s*\]|apps\s*:\s*require\(|[{,]\s*apps\s*[,}]|apps\s*:\s*[A-Za-z_$][\w$]*\s*[,}(]/;

function strongest(calls: readonly Pm2Call[]): readonly Pm2Call[] {
  const strong = calls.filter(({ kind }) => kind !== "readme");
  return strong.length > 0 ? strong : calls;
}

function callFolder(calls: readonly Pm2Call[]): string | undefined {
  const folders = [...new Set(calls.flatMap(({ cwd }) => cwd ?? []))];
  return folders.length === 1 ? folders[0] : undefined;
}

/** The folder from which most scripts and working folders exist. */
function inferFolder(
  path: string,
  apps: readonly Pm2App[],
  files: Survey["files"],
  packages: readonly string[],
): string {
  const home = packageFolderOf(path, packages);
  const folders = new Set(
    [...files.keys()].flatMap((file) => file.split("/").map((_, at, all) => all.slice(0, at).join("/"))),
  );
  const exists = (target: string): boolean => files.has(target) || folders.has(target);
  const score = (folder: string): number => {
    const targets = apps.flatMap(({ script, cwd }) => [
      cwd,
      script?.includes("/") ? joinPath(cwd ?? ".", script) : undefined,
    ]);
    return targets.filter((one) => one !== undefined && !one.startsWith("/") && exists(joinPath(folder, one))).length;
  };
  return [home, folderOf(path), "."].toSorted((a, b) => score(b) - score(a))[0] ?? home;
}

function findLine(text: string, pattern: RegExp): number | undefined {
  const index = text.search(pattern);
  return index === -1 ? undefined : text.slice(0, index).split("\n").length;
}
