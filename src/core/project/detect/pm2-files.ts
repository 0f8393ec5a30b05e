import { parseApps, stripComments, type Pm2App } from "./parse-apps.ts";
import { environmentFor, environmentInName, environmentOf } from "./environment-names.ts";
import { packageFolderOf, mayCallPm2, isPm2Name, isScriptLikePm2, type Survey } from "./survey.ts";
import { compareText } from "../../api/issue.ts";
import { baseName } from "../../words/path.ts";

export interface Pm2File {
  readonly path: string;
  readonly home: string;
  readonly named: string | undefined;
  /** The name after `--env`; `null` for a start without it. */
  readonly environments: Readonly<Record<string, string | null>>;
  readonly isGuess: boolean;
  /** A script, a workflow or the README starts PM2 with it. */
  readonly isCalled: boolean;
  readonly isBroken: boolean;
  readonly apps: readonly Pm2App[];
}

export interface DetectionNote {
  readonly path: string;
  readonly line: number;
  readonly what: string;
}

interface Pm2Call {
  readonly file: string;
  readonly env: string | undefined;
}

export function detectPm2Files(
  { files }: Survey,
  packages: readonly string[],
): { pm2: readonly Pm2File[]; notUnderstood: DetectionNote[] } {
  const calls = callsIn(files);
  const found: Pm2File[] = [];
  const notUnderstood: DetectionNote[] = [];
  for (const [path, text = ""] of files) {
    if (isScriptLikePm2(baseName(path)))
      notUnderstood.push({
        path,
        line: 1,
        what: "PM2 would run this file as a script, because its name does not end in .config.js",
      });
    if (!isPm2Name(baseName(path)) || !/\b(?:apps|script|cmd|exec)\b["']?\s*:/.test(text)) continue;
    const home = packageFolderOf(path, packages);
    const manifest = files.get(home === "." ? "package.json" : `${home}/package.json`) ?? "";
    const isBroken = isUnwantedModule(path, manifest);
    if (isBroken) notUnderstood.push({ path, line: 1, what: moduleNote(path) });
    const line = findLine(text, /\benv_file\b["']?\s*:/);
    if (line !== undefined) notUnderstood.push({ path, line, what: "env_file is a field that PM2 ignores" });
    found.push({ ...pm2File(path, text, calls), home, isBroken });
  }
  const { pm2, skipped } = selectFiles(found);
  return { pm2, notUnderstood: [...notUnderstood, ...skipped] };
}

/** With such a package.json, Node.js treats `.js` files as ES modules, which PM2 cannot require. */
function isUnwantedModule(path: string, manifest: string): boolean {
  return path.endsWith(".config.js") && /"type"\s*:\s*"module"/.test(manifest);
}

function moduleNote(path: string): string {
  const name = baseName(path).replace(/\.js$/, ".cjs");
  return `PM2 cannot read this file, because package.json has "type": "module". Rename it to ${name}, with module.exports`;
}

function pm2File(path: string, source: string, calls: readonly Pm2Call[]): Omit<Pm2File, "home" | "isBroken"> {
  const text = stripComments(path, source);
  const ownCalls = calls.filter(({ file }) => path === file || path.endsWith(`/${file}`));
  const named = environmentInName(baseName(path).replace(/^(?:ecosystem|pm2|process)/i, ""));
  const facts = { path, named, apps: parseApps(path, text), isCalled: ownCalls.length > 0 };
  const blocks = [...text.matchAll(/\benv_([A-Za-z][\w-]*)["']?\s*:/g)].flatMap(([, name = ""]) =>
    name === "file" ? [] : [name],
  );
  const names = [...new Set([...blocks, ...ownCalls.flatMap(({ env }) => env ?? [])])];
  if (named !== undefined) {
    const block = names.find((name) => environmentFor(name) === named);
    return { ...facts, environments: { [named]: block ?? null }, isGuess: false };
  }
  if (names.length > 0) {
    const own = Object.fromEntries(names.map((name) => [environmentFor(name), name]));
    const bare = /\benv["']?\s*:/.test(text) && !Object.hasOwn(own, "dev") ? { dev: null } : {};
    return { ...facts, environments: { ...own, ...bare }, isGuess: false };
  }
  const declared = environmentOf(/NODE_ENV["']?\s*:\s*["'](\w+)["']/.exec(text)?.[1] ?? "");
  return { ...facts, environments: { [declared ?? "production"]: null }, isGuess: declared === undefined };
}

function callsIn(files: Survey["files"]): Pm2Call[] {
  const texts = [...files].flatMap(([path, text]) => (text !== undefined && mayCallPm2(path) ? [text] : []));
  return texts.flatMap((text) =>
    [
      ...text.matchAll(
        /\bpm2(?:-runtime|-docker)?["']?,?\s+["']?(?:(?:start|restart|reload|startOrReload|startOrRestart|startOrGracefulReload)["']?,?\s+["']?)?(?:\.\/)?([\w./-]+\.(?:json|ya?ml|config\.[cm]?js))\b([^\n;&|]*)/g,
      ),
    ].map(([, file = "", rest = ""]) => ({ file, env: /--env[=\s"',]+([A-Za-z][\w-]*)/.exec(rest)?.[1] })),
  );
}

function findLine(text: string, pattern: RegExp): number | undefined {
  const index = text.search(pattern);
  return index === -1 ? undefined : text.slice(0, index).split("\n").length;
}

/** `pm2 start` without a file looks for these. */
const DEFAULT_NAME = /^ecosystem\.(?:config\.[cm]?js|json|ya?ml)$/;

/** If several files of one package declare the same app for the same environment, the team uses only one of them. */
function selectFiles(candidates: readonly Pm2File[]): { pm2: Pm2File[]; skipped: DetectionNote[] } {
  const files = candidates.map((file) => dropDoubtfulEnvironments(file, candidates)).toSorted(byPreference);
  const selected: Pm2File[] = [];
  const skipped: DetectionNote[] = [];
  for (const file of files) {
    const entries = Object.entries(file.environments);
    const free = entries.filter(([environment]) => !selected.some((other) => isAlternative(other, file, environment)));
    if (free.length > 0) selected.push({ ...file, environments: Object.fromEntries(free) });
    else
      skipped.push({ path: file.path, line: 1, what: "another file declares the same app; svcm.yaml names that one" });
  }
  return { pm2: selected.toSorted((a, b) => compareText(a.path, b.path)), skipped };
}

function dropDoubtfulEnvironments(file: Pm2File, files: readonly Pm2File[]): Pm2File {
  const others = files.filter((other) => other.home === file.home && other !== file);
  const isNamed = (environment: string): boolean => others.some(({ named }) => named === environment);
  const { dev, ...rest } = file.environments;
  if (file.isGuess && isNamed("production") && !isNamed("dev")) return { ...file, environments: { dev: null } };
  const isDoubtful = dev === null && Object.keys(rest).length > 0 && isNamed("dev");
  return isDoubtful ? { ...file, environments: rest } : file;
}

function isAlternative(one: Pm2File, other: Pm2File, environment: string): boolean {
  const names = new Set(one.apps.map(({ source }) => source));
  return (
    one.home === other.home &&
    Object.hasOwn(one.environments, environment) &&
    other.apps.some(({ source }) => names.has(source))
  );
}

function byPreference(a: Pm2File, b: Pm2File): number {
  return rank(a) - rank(b) || compareText(a.path, b.path);
}

function rank({ path, isBroken, isCalled, isGuess }: Pm2File): number {
  return (
    Number(isBroken) * 8 + Number(!isCalled) * 4 + Number(isGuess) * 2 + Number(!DEFAULT_NAME.test(baseName(path)))
  );
}
