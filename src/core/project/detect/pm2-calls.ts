/** Callers of PM2 and their files: scripts, workflows, Makefiles, containers, and the file's own section `deploy`. */
import { baseName } from "../../words/path.ts";
import { isRecord } from "../../words/record.ts";
import { environmentFor, environmentInName, environmentOf } from "./environment-names.ts";
import { isPm2Name, mayCallPm2, folderOf, joinPath, type Survey } from "./survey.ts";

export interface Pm2Call {
  /** The file with the call. */
  readonly by: string;
  /** A README counts only where nothing else calls a file. */
  readonly kind: "deploy" | "script" | "container" | "readme";
  /** As found in the repository. */
  readonly file: string;
  /** The folder in which PM2 is called; `undefined` if it is not known. */
  readonly cwd: string | undefined;
  readonly env: string | undefined;
  readonly only: readonly string[] | undefined;
  /** The environment that the caller is for, such as the workflow `staging.yml` or the script `start:prod`. */
  readonly context: string | undefined;
}

interface Command {
  readonly text: string;
  readonly cwd: string | undefined;
  readonly context: string | undefined;
}

export function callsIn(files: Survey["files"]): Pm2Call[] {
  return [...files].flatMap(([path, text]) => {
    if (text === undefined || !/\bpm2\b/.test(text)) return [];
    const commands = commandsIn(path, text);
    const kind = kindOf(path);
    return commands.flatMap((command) => callsInCommand(command, path, kind, files));
  });
}

function commandsIn(path: string, text: string): Command[] {
  const name = baseName(path);
  if (name === "package.json") return scriptsIn(path, text);
  if (isPm2Name(name)) return deployCommands(text);
  return mayCallPm2(path) ? linesWithPm2(path, text) : [];
}

function kindOf(path: string): Pm2Call["kind"] {
  const name = baseName(path);
  if (/^readme/i.test(name)) return "readme";
  if (/^(?:Dockerfile|Containerfile|(?:docker-)?compose)/i.test(name)) return "container";
  return name === "package.json" || /^Procfile/i.test(name) ? "script" : "deploy";
}

function scriptsIn(path: string, text: string): Command[] {
  try {
    const manifest: unknown = JSON.parse(text);
    const scripts = isRecord(manifest) && isRecord(manifest["scripts"]) ? manifest["scripts"] : {};
    return Object.entries(scripts).flatMap(([name, command]) =>
      typeof command === "string"
        ? [{ text: command, cwd: folderOf(path), context: environmentInName(name.replaceAll(/([A-Z])/g, "-$1")) }]
        : [],
    );
  } catch {
    return [];
  }
}

/** PM2 runs these on the server, in the folder of the checkout. */
function deployCommands(text: string): Command[] {
  const start = text.search(/\bdeploy["']?\s*:/);
  if (start === -1) return [];
  const part = text.slice(start);
  return [...part.matchAll(/["']?(?:pre|post)-(?:deploy|setup|deploy-local)["']?\s*:\s*(["'`])([\s\S]*?)\1/g)].map(
    ({ 2: command = "", index }) => {
      const [, , target = ""] = [...part.slice(0, index).matchAll(/(["']?)([\w-]+)\1\s*:\s*\{/g)].at(-1) ?? [];
      return { text: command, cwd: undefined, context: environmentOf(target) };
    },
  );
}

const CONTEXT_LINES = 25;

function linesWithPm2(path: string, text: string): Command[] {
  const lines = text.replaceAll(/\\\r?\n\s*/g, " ").split(/\r?\n/);
  const named = environmentInName(baseName(path).replace(/\.(?:ya?ml|sh|bash)$/i, ""));
  return lines.flatMap((line, row) => {
    if (!/\bpm2\b/.test(line) || /^\s*(?:#|\/\/)/.test(line)) return [];
    const before = lines.slice(Math.max(0, row - CONTEXT_LINES), row);
    const isMakefile = /^makefile/i.test(baseName(path));
    const context = named ?? declaredEnvironment(before) ?? (isMakefile ? makeTarget(before) : undefined);
    return [{ text: line, cwd: folderBefore(before), context }];
  });
}

/** @param lines before the call, in the same step of a workflow or outside of one */
function folderBefore(lines: readonly string[]): string | undefined {
  const step = lines.slice(lines.findLastIndex((one) => /^\s*-\s+(?:name|uses|run)\s*:/.test(one)) + 1);
  const cd = step.findLast((one) => /^\s*(?:cd|working-directory\s*:|WORKDIR)\s/.test(one) || /\bcd\s+\S/.test(one));
  return /(?:\bcd|working-directory\s*:|WORKDIR)\s+["']?([^\s"';&|]+)/.exec(cd ?? "")?.[1];
}

function declaredEnvironment(lines: readonly string[]): string | undefined {
  const declared = lines.findLast((one) => /^\s*environment\s*:/.test(one)) ?? "";
  return environmentInName(/^\s*environment\s*:\s*(?:\{\s*name:)?\s*(.*)$/.exec(declared)?.[1] ?? "");
}

function makeTarget(lines: readonly string[]): string | undefined {
  const target = lines.findLast((one) => /^[\w.-]+\s*:(?!=)/.test(one)) ?? "";
  return environmentInName(target.split(":")[0] ?? "");
}

const VERBS = /^(?:start|restart|reload|startOrReload|startOrRestart|startOrGracefulReload|gracefulReload)$/i;
const WITH_VALUE = /^(?:--env|--only|--name|-n|-i|--instances|--cwd|--namespace|--log|-o|-e|-l|--interpreter|-p)$/;
const FILE = /\.(?:json|ya?ml|config\.[cm]?js)$/i;

function callsInCommand(
  { text, cwd, context }: Command,
  by: string,
  kind: Pm2Call["kind"],
  files: Survey["files"],
): Pm2Call[] {
  const calls: Pm2Call[] = [];
  let folder = cwd;
  for (const statement of text.split(/&&|\|\||[;|\n]/)) {
    const words = statement
      .replaceAll(/["',[\]`]/g, " ")
      .split(/\s+/)
      .filter(Boolean);
    const cd = words.indexOf("cd");
    if (cd !== -1 && words[cd + 1] !== undefined) folder = joinFolder(folder, words[cd + 1] ?? "");
    const at = words.findIndex((word) => /(?:^|\/)pm2(?:-runtime|-docker|-dev)?$/.test(word));
    if (at === -1) continue;
    const parsed = parseWords(words[at] ?? "", words.slice(at + 1));
    if (parsed === undefined) continue;
    for (const found of locate(parsed.file, folder, by, files))
      calls.push({ by, kind, context, env: parsed.env, only: parsed.only, ...found });
  }
  return calls;
}

/** `undefined` for a call without a PM2 file, such as `pm2 list` or `pm2 start server.js`. */
function parseWords(
  program: string,
  words: readonly string[],
): { file: string; env: string | undefined; only: readonly string[] | undefined } | undefined {
  const plain = words.filter((word, index) => !word.startsWith("-") && !WITH_VALUE.test(words[index - 1] ?? ""));
  const [first, ...rest] = plain;
  const isVerb = VERBS.test(first ?? "");
  if (!isVerb && !program.includes("-")) return undefined;
  const targets = isVerb ? rest : plain;
  const file = targets.find((word) => FILE.test(word)) ?? (targets.length === 0 && isVerb ? "" : undefined);
  if (file === undefined) return undefined;
  return { file, env: optionIn(words, "--env"), only: namesAfterOnly(words) };
}

function optionIn(words: readonly string[], name: string): string | undefined {
  const at = words.indexOf(name);
  const next = at === -1 ? undefined : words[at + 1];
  return next ?? words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
}

function namesAfterOnly(words: readonly string[]): string[] | undefined {
  const only = /^(?:.*\s)?--only[\s=]+([^-].*)$/.exec(words.join(" "))?.[1];
  const names = only
    ?.split(/\s--?\w/)[0]
    ?.split(/[\s,]+/)
    .filter((name) => name !== "" && !FILE.test(name));
  return names?.length ? names : undefined;
}

/** For `pm2 start` without a file, in PM2's order. */
const DEFAULT_FILES = ["js", "cjs", "mjs"].map((ending) => `ecosystem.config.${ending}`).concat("ecosystem.json");

function locate(
  file: string,
  cwd: string | undefined,
  by: string,
  files: Survey["files"],
): { file: string; cwd: string | undefined }[] {
  const isKnown = (path: string): boolean => files.has(path) && isPm2Name(baseName(path));
  const folders = [...new Set([repositoryFolder(cwd, files), folderOf(by), "."])].flatMap((one) => one ?? []);
  if (file === "") {
    const folder = folders[0] ?? ".";
    const found = DEFAULT_FILES.map((name) => joinPath(folder, name)).find(isKnown);
    return found === undefined ? [] : [{ file: found, cwd: folder }];
  }
  const relative = file.replace(/^\.\//, "");
  if (/[$*{<]/.test(relative)) return matching(relative, files).map((path) => ({ file: path, cwd: undefined }));
  const folder = relative.startsWith("/") ? undefined : folders.find((one) => isKnown(joinPath(one, relative)));
  if (folder !== undefined) return [{ file: joinPath(folder, relative), cwd: folder }];
  const ends = [...files.keys()].filter(
    (path) => isKnown(path) && (`/${relative}`.endsWith(`/${path}`) || path.endsWith(`/${relative}`)),
  );
  const [only] = ends;
  if (ends.length !== 1 || only === undefined) return [];
  const rest = only.endsWith(`/${relative}`) ? only.slice(0, -relative.length - 1) : undefined;
  return [{ file: only, cwd: rest }];
}

/** `pm2 start ecosystem.$ENV.config.js` */
function matching(file: string, files: Survey["files"]): string[] {
  const pattern = baseName(file)
    .split(/\$\{?\{?\s*[\w.]+\s*\}?\}?|<[^>]*>|\*/)
    .map((part) => part.replaceAll(/[.+^()|[\]\\$?]/g, String.raw`\$&`))
    .join("[\\w-]+");
  return [...files.keys()].filter(
    (path) => isPm2Name(baseName(path)) && new RegExp(`^${pattern}$`).test(baseName(path)),
  );
}

function joinFolder(folder: string | undefined, next: string): string {
  return folder === undefined || /^[/~$]/.test(next) ? next : joinPath(folder, next);
}

/** `/var/www/shop/api` is the folder `api` of a repository that has one, else its root. */
function repositoryFolder(cwd: string | undefined, files: Survey["files"]): string | undefined {
  if (cwd === undefined) return undefined;
  const isFolder = (folder: string): boolean => [...files.keys()].some((path) => path.startsWith(`${folder}/`));
  if (!/^[/~$]/.test(cwd)) return cwd === "." || isFolder(cwd) ? cwd : undefined;
  const parts = cwd.split("/").filter(Boolean);
  const ends = parts.map((_, index) => parts.slice(index).join("/"));
  return ends.find((end) => isFolder(end)) ?? ".";
}

/** A script called `dev` may start anything; a workflow for staging that passes `--env production` is for staging. */
export function environmentOfCall({ context, env }: Pm2Call): string | undefined {
  const isWeak = context === "dev" || context === "test" || context === "ci" || context === "e2e";
  if (env !== undefined && (context === undefined || isWeak)) return environmentFor(env);
  return context;
}
