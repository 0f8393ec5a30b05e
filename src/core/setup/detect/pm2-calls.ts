/** Commands of the repository that start PM2: with which file, in which folder, for which environment and apps. */
import { isPm2Name } from "../../pm2/pm2-names.ts";
import { baseName } from "../../words/text.ts";
import { commandsIn, kindOf, type CallerKind, type Command } from "./callers.ts";
import { environmentFor } from "../../words/environment-names.ts";
import { folderOf, joinPath, type Survey } from "./survey.ts";

export interface Pm2Call {
  /** The file with the call. */
  readonly by: string;
  /** A README, or another text, counts only where nothing else calls a file. */
  readonly kind: CallerKind;
  /** As found in the repository. */
  readonly file: string;
  /** The folder in which PM2 is called; `undefined` if it is not known. */
  readonly cwd: string | undefined;
  readonly env: string | undefined;
  readonly only: readonly string[] | undefined;
  /** A variable such as `--env "$ENV"`: the call starts the file, and does not say for which environment. */
  readonly hasComputedEnv: boolean;
  /** As `--only "$APP"`: the call starts one of the apps. */
  readonly hasComputedOnly: boolean;
  /** The environment that the caller is for. */
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

const VERBS = /^(?:start|restart|reload|startOrReload|startOrRestart|startOrGracefulReload|gracefulReload)$/i;
const WITH_VALUE = /^(?:--env|--only|--name|-n|-i|--instances|--cwd|--namespace|--log|-o|-e|-l|--interpreter|-p)$/;
const FILE = /\.(?:json[5c]?|ya?ml|config\.[cm]?js)$/i;

function callsInCommand(
  { text, cwd, context, isTold = false }: Command,
  by: string,
  ownKind: CallerKind,
  files: Survey["files"],
): Pm2Call[] {
  const kind = isTold ? "readme" : ownKind;
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
    for (const found of locate(parsed.file, folder, by, files)) calls.push({ by, kind, context, ...parsed, ...found });
  }
  return calls;
}

/** The scripts that a command starts without a PM2 file, such as `pm2 start index.js --name api`. */
export function scriptsStartedIn(files: Survey["files"]): Set<string> {
  const found = [...files].flatMap(([path, text]) => {
    if (text === undefined || !/\bpm2\b/.test(text) || kindOf(path) === "readme") return [];
    return commandsIn(path, text).flatMap((command) =>
      command.isTold === true ? [] : scriptsInCommand(command, path, files),
    );
  });
  return new Set(found);
}

function scriptsInCommand({ text, cwd }: Command, by: string, files: Survey["files"]): string[] {
  const targets = [
    ...text.matchAll(
      /\bpm2(?:-runtime)?\s+(?:start\s+)?(?:-\S+\s+)*(?:\.\/)?([\w./-]+\.(?:[cm]?js|ts|py|sh))(?=["'\s;&|]|$)/g,
    ),
  ];
  const folders = [cwd, folderOf(by), "."].flatMap((one) => one ?? []);
  return targets.flatMap(([, target = ""]) => {
    const path = folders.map((folder) => joinPath(folder, target)).find((one) => files.has(one));
    return FILE.test(target) || path === undefined ? [] : [path];
  });
}

type Request = Pick<Pm2Call, "file" | "env" | "only" | "hasComputedEnv" | "hasComputedOnly">;

/** `undefined` for a call without a PM2 file, such as `pm2 list` or `pm2 start server.js`. */
function parseWords(program: string, words: readonly string[]): Request | undefined {
  const plain = words.filter((word, index) => !word.startsWith("-") && !WITH_VALUE.test(words[index - 1] ?? ""));
  const [first, ...rest] = plain;
  const isVerb = VERBS.test(first ?? "");
  if (!isVerb && !program.includes("-")) return undefined;
  const targets = isVerb ? rest : plain;
  const file = targets.find((word) => FILE.test(word)) ?? (targets.length === 0 && isVerb ? "" : undefined);
  if (file === undefined) return undefined;
  return { file, ...optionsIn(words) };
}

function optionsIn(words: readonly string[]): Omit<Request, "file"> {
  const [env, only] = [optionIn(words, "--env"), namesAfterOnly(words)];
  const hasComputedEnv = env !== undefined && isComputed(env);
  const hasComputedOnly = only?.some(isComputed) ?? false;
  return {
    env: hasComputedEnv ? undefined : env,
    only: hasComputedOnly ? undefined : only,
    hasComputedEnv,
    hasComputedOnly,
  };
}

function isComputed(word: string): boolean {
  return /[$<{]/.test(word);
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
  const isKnown = (path: string): boolean => isPm2File(path, files.get(path));
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

/** A caller may name a file that is not called as PM2 files usually are, such as `config/production.config.js`. */
function isPm2File(path: string, text: string | undefined): boolean {
  if (text === undefined) return false;
  return (
    isPm2Name(baseName(path)) || (FILE.test(path) && /\bapps\b/.test(text) && /\b(?:script|exec|cmd)\b/.test(text))
  );
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
