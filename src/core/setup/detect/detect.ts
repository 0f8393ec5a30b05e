import { compareText } from "../../api/issue.ts";
import { classify, type Verdict } from "./classify.ts";
import { parseAssignments, detectEnvFiles, type DetectedEnvFile } from "./env-files.ts";
import type { DetectionNote, Pm2File, RunningApp } from "./pm2-file.ts";
import type { UndecidedFile } from "../../project/project.ts";
import { baseName } from "../../words/text.ts";
import { folderOf, type Survey, isScriptLikePm2, joinPath, packageFolderOf } from "./survey.ts";
import { environmentInName } from "../../words/environment-names.ts";
import { mayDeclareApps, parseApps, pathsRead, stripComments, type Pm2App } from "./parse-apps.ts";
import { callsIn, scriptsStartedIn, type Pm2Call } from "./pm2-calls.ts";
import { WATCH_FIELD } from "../../project/state-place.ts";
import { selectFiles } from "./select-files.ts";
import { startsOf } from "./starts.ts";

/** No file was run, and no value is included. */
export interface Detection {
  readonly looked: number;
  readonly isCut: boolean;
  readonly frameworks: readonly string[];
  readonly pm2: readonly Pm2File[];
  /** Left out of the proposal until a user decides. */
  readonly undecided: readonly UndecidedFile[];
  /** Processes of the repository, if no PM2 file was found that could declare them. */
  readonly running: readonly RunningApp[];
  readonly env: readonly DetectedEnvFile[];
  readonly keys: readonly DetectedKey[];
  readonly notUnderstood: readonly DetectionNote[];
}

export interface DetectedKey extends Verdict {
  readonly key: string;
  readonly isOnlyRead: boolean;
}

const FRAMEWORKS: Readonly<Record<string, string>> = {
  "@nestjs/core": "NestJS",
  next: "Next.js",
  nuxt: "Nuxt",
  express: "Express",
  fastify: "Fastify",
  koa: "Koa",
  "discord.js": "discord.js",
};

const KEY = /^[A-Za-z_][\w.-]{0,199}$/;
/** The system or PM2 sets these for every process. */
const SYSTEM_VARIABLE =
  /^(?:PATH|HOME|USER|LOGNAME|PWD|SHELL|EDITOR|VISUAL|LANG|LC_\w+|TERM|TMPDIR|HOSTNAME|XDG_\w+|(?:LOCAL)?APPDATA|PROGRAMFILES|USERPROFILE|pm_\w+|PM2_\w+|NODE_APP_INSTANCE|npm_\w+|INIT_CWD|CI|DOTENV_PUBLIC_KEY\w*)$/;
/** A value that a PM2 file sets for its app, such as the address to listen on, belongs to the app. */
const DECLARABLE = /^(?:HOSTNAME|LANG|LC_\w+|TERM|TMPDIR|EDITOR|SHELL)$/;
/** svcm's own settings are not keys of the backend. */
const OWN_VARIABLE = /^SVC_SERVICE_MANAGEMENT_\w+$/;

export function detect(survey: Survey, running: readonly RunningApp[] = []): Detection {
  const packages = [...survey.files.keys()].filter((path) => baseName(path) === "package.json").map(folderOf);
  const { pm2, undecided, notUnderstood } = detectPm2Files(survey, packages, running);
  const known = new Set(pm2.flatMap(({ environments }) => Object.keys(environments)));
  const { env, notes } = detectEnvFiles(survey, packages, known);
  return {
    looked: survey.files.size,
    isCut: survey.isCut,
    frameworks: detectFrameworks(survey),
    pm2,
    undecided,
    running: pm2.length + undecided.length === 0 ? running : [],
    env: env.toSorted((a, b) => compareText(a.path, b.path)),
    keys: detectKeys(survey, env),
    notUnderstood: [...notUnderstood, ...notes, ...[...(survey.outside ?? [])].map(outsideNote)],
  };
}

function outsideNote([path, target]: readonly [string, string]): DetectionNote {
  const what = `it leads to ${target}, outside of the repository. To use it, name it below env, and ${folderOf(target)} in folders`;
  return { path, line: 1, what };
}

function detectKeys({ files }: Survey, env: readonly DetectedEnvFile[]): DetectedKey[] {
  const valuesByKey = new Map<string, string[]>();
  const addValue = (key: string, value: string, isDeclared = false): void => {
    if (
      !KEY.test(key) ||
      OWN_VARIABLE.test(key) ||
      (SYSTEM_VARIABLE.test(key) && !(isDeclared && DECLARABLE.test(key)))
    )
      return;
    valuesByKey.set(key, [...(valuesByKey.get(key) ?? []), value]);
  };
  const assigned = env.flatMap(({ path, isEncrypted }) =>
    parseAssignments(files.get(path) ?? "").map(([key, value]) => [key, isEncrypted ? "" : value] as const),
  );
  for (const [key, value] of assigned) addValue(key, value);
  for (const [path, text = ""] of files) {
    if (!mayDeclareApps(path, text)) continue;
    for (const [key, value] of ecosystemVariables(stripComments(path, text))) addValue(key, value, true);
  }
  const readByCode = new Set(
    [...files].flatMap(([path, text = ""]) => (/\.[cm]?[jt]sx?$/.test(path) ? readKeys(text) : [])),
  );
  for (const key of readByCode) if (!valuesByKey.has(key)) addValue(key, "");
  const assignedKeys = new Set(assigned.map(([key]) => key));
  return [...valuesByKey]
    .map(([key, values]) => ({
      key,
      ...classify(key, values),
      isOnlyRead: readByCode.has(key) && !assignedKeys.has(key) && values.every((value) => value === ""),
    }))
    .toSorted((a, b) => Number(a.isOnlyRead) - Number(b.isOnlyRead));
}

/** `process.env.X`, `process.env["X"]` and `const { X } = process.env`. */
function readKeys(text: string): string[] {
  const members = [...text.matchAll(/\bprocess\.env(?:\.([A-Za-z_]\w*)|\[["'`]([A-Za-z_][\w.-]*)["'`]\])/g)].map(
    ([, a, b]) => a ?? b ?? "",
  );
  const destructured = [...text.matchAll(/\{([^{}]{1,2000})\}\s*=\s*process\.env\b/g)].flatMap(([, list = ""]) =>
    list.split(",").map((part) => part.trim().split(/[\s:=]/)[0] ?? ""),
  );
  return [...members, ...destructured].filter((key) => KEY.test(key));
}

function ecosystemVariables(text: string): (readonly [string, string])[] {
  const own = [...text.matchAll(/\benv(?:_\w+)?["']?\s*:\s*\{([^{}]*)\}/g)].map(([, block = ""]) => block);
  const spread = [...own.join("\n").matchAll(/\.\.\.([A-Za-z_$][\w$]*)/g)].map(([, name = ""]) => name);
  const shared = [...new Set(spread)].flatMap((name) =>
    [...text.matchAll(new RegExp(String.raw`\b${name.replaceAll("$", String.raw`\$`)}\s*=\s*\{([^{}]*)\}`, "g"))].map(
      ([, block = ""]) => block,
    ),
  );
  const blocks = [...own, ...shared];
  const yaml = [
    ...text.matchAll(/^(\s*)env(?:_\w+)?[ \t]*:[ \t]*(?:&\S+[ \t]*)?\n((?:\1\s+[A-Za-z_][\w.-]*[ \t]*:.*\n?)+)/gm),
  ].map(([, , block = ""]) => block);
  return [...blocks, ...yaml].flatMap((block) =>
    [
      ...block.matchAll(
        /(?:^|[,\n{])\s*["']?([A-Za-z_][\w.-]*)["']?\s*:\s*(?:"([^"\n]*)"|'([^'\n]*)'|([\d.]+|true|false))?/g,
      ),
    ].map(([, key = "", a, b, c]) => [key, a ?? b ?? c ?? ""] as const),
  );
}

function detectFrameworks({ files }: Survey): string[] {
  const manifests = [...files].flatMap(([path, text]) =>
    baseName(path) === "package.json" && text !== undefined ? [text] : [],
  );
  const found = Object.entries(FRAMEWORKS).filter(([name]) => manifests.some((text) => text.includes(`"${name}":`)));
  return found.map(([, label]) => label);
}

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
    notes.push(...textNotes(path, text), ...(isBroken ? [{ path, line: 1, what: moduleNote(path, text) }] : []));
    found.push({ ...pm2File(path, text, calls, files, packages), isBroken, reads: pathsRead(path, text) });
  }
  const { pm2, undecided, skipped } = selectFiles(found, running, scriptsStartedIn(files));
  return { pm2, undecided, notUnderstood: [...notes, ...skipped] };
}

/** Named or written like a PM2 file, or started as one. */
function isCandidate(path: string, text: string, calls: readonly Pm2Call[]): boolean {
  const isNamed = mayDeclareApps(path, text);
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

/**
 * PM2 requires the file, so a module has to export `apps` by name. With such a package.json, Node.js treats `.js` files as
 * modules.
 */
function isUnwantedModule(path: string, files: Survey["files"], packages: readonly string[]): boolean {
  const text = stripComments(path, files.get(path) ?? "");
  if (/\bexport\s+(?:const|let|var)\s+apps\b|\bexport\s*\{[^}]*\bapps\b/.test(text)) return false;
  if (path.endsWith(".config.mjs")) return DEFAULT_EXPORT.test(text);
  const home = packageFolderOf(path, packages);
  const manifest = files.get(home === "." ? "package.json" : `${home}/package.json`) ?? "";
  const isModule = path.endsWith(".config.js") && /"type"\s*:\s*"module"/.test(manifest);
  return isModule && (DEFAULT_EXPORT.test(text) || !/\bexport\b/.test(text));
}

const DEFAULT_EXPORT = /\bexport\s+default\b/;

function moduleNote(path: string, text: string): string {
  const name = baseName(path).replace(/\.m?js$/, ".cjs");
  if (DEFAULT_EXPORT.test(stripComments(path, text)))
    return `PM2 finds no app in this file, because it exports them as default. Rename it to ${name}, with module.exports`;
  return `PM2 cannot read this file, because package.json has "type": "module". Rename it to ${name}, with module.exports`;
}

function pm2File(
  path: string,
  source: string,
  allCalls: readonly Pm2Call[],
  files: Survey["files"],
  packages: readonly string[],
): Omit<Pm2File, "isBroken" | "reads"> {
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
