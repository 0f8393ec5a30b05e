import type { DeclaredApp } from "../pm2/declared.ts";
import { resolvePath } from "../project/resolve.ts";
import type { FileStamps } from "../files/ports.ts";
import { environmentInName, environmentOf, isEnvName, isTemplateName } from "../words/environment-names.ts";
import { baseName } from "../words/text.ts";
import { once } from "../words/once.ts";

/** Files and folders that an app loads by its declaration, wherever they lie. Absolute paths that need not exist. */
export interface LoadedPaths {
  readonly files: readonly string[];
  readonly folders: readonly string[];
  /** Files of which some may be data. */
  readonly texts?: readonly string[];
  /** Settings, or folders of them, that its arguments and variables name. It reads them once, or writes them. */
  readonly settings?: readonly string[];
  /** Of its command. A virtual environment of Python may have one of them. */
  readonly programs?: readonly string[];
}

type Declaration = Pick<DeclaredApp, "args" | "cwd" | "env" | "interpreter" | "interpreterArgs">;

/** Programs of the system, of which one is as good as another. */
const COMMON_INTERPRETER =
  /(?:^|\/)(?:node|nodejs|bun|deno|python[\d.]*|ruby|php|perl|bash|sh|dash|zsh|env|tsx|ts-node)$/;
const PROGRAM = /\.(?:[cm]?[jt]sx?|py|rb|php|sh|lua)$/i;

export function loadedPaths({ args, cwd, env, interpreter, interpreterArgs }: Declaration): LoadedPaths {
  const { NODE_OPTIONS = "", NODE_PATH = "", PYTHONPATH = "", RUBYLIB = "" } = env;
  const options = [...interpreterArgs, ...NODE_OPTIONS.split(/\s+/)].filter((word) => !word.startsWith("--env-file"));
  const programs = args.filter((word) => PROGRAM.test(word));
  const own = COMMON_INTERPRETER.test(interpreter) || !interpreter.includes("/") ? [] : [interpreter];
  const toPaths = (words: readonly string[]): string[] => [...new Set(words.map((word) => resolvePath(cwd, word)))];
  return {
    files: toPaths([...own, ...options.map(valueOf), ...programs].filter(isPath)),
    folders: toPaths([NODE_PATH, PYTHONPATH, RUBYLIB].flatMap((list) => list.split(":")).filter((one) => one !== "")),
    programs: toPaths([interpreter, ...args].filter((word) => word.includes("/bin/"))),
    settings: toPaths([...args.map(valueOf).filter(isSettings), ...settingsIn(env)]),
  };
}

const SETTINGS =
  /^[^\s:;,'"{}]+\.(?:json[5c]?|ya?ml|toml|xml|ini|conf|cfg|cnf|config|properties|pem|key|crt|cert?|p12|pfx)$/i;
/** The app writes there. */
const OUTPUT =
  /^\/(?:tmp|run|var\/(?:lib|log|run|cache|spool|tmp|backups))\/|(?:^|\/)(?:data|storage|cache|te?mp|uploads?|sessions?|backups?|logs?)\/[^/]*$/i;
const OUTPUT_KEY =
  /(?:^|_)(?:state|data|db|database|cache|store|storage|logs?|out|output|pid|sock|te?mp|dump|backup|queue|sessions?|uploads?|exports?|reports?)(?:_|$)/i;
const FOLDER_KEY = /(?:^|_)(?:conf|config|settings|secrets|certs?)_?(?:dir|folder|home|path)$/i;

export function isSettings(word: string): boolean {
  return SETTINGS.test(word) && !OUTPUT.test(word);
}

function settingsIn(env: Declaration["env"]): string[] {
  return Object.entries(env).flatMap(([key, text]) => {
    const value = valueOf(text);
    if (OUTPUT_KEY.test(key)) return [];
    return isSettings(value) || (FOLDER_KEY.test(key) && value !== "") ? [value] : [];
  });
}

/** Settings that the commands of a shell script, or of `package.json`, name. Absolute paths that need not exist. */
export function settingsInTexts(texts: readonly string[], cwd: string): string[] {
  return texts.flatMap((text) => {
    let folder = cwd;
    return (text.match(WORD) ?? []).flatMap((raw, index, words) => {
      const word = raw.replaceAll(/["'`]/g, "");
      if (words[index - 1] === "cd") folder = resolvePath(folder, word);
      const [, key, value = ""] = ASSIGNMENT.exec(word) ?? [];
      const [, read] = READ.exec(`${words[index - 1] ?? ""} ${word}`) ?? [];
      const named = key === undefined ? [valueOf(word)].filter(isSettings) : settingsIn({ [key]: value });
      const all = new Set([...named, ...(read === undefined || OUTPUT.test(read) ? [] : [read])]);
      return [...all].filter((path) => !path.includes("$")).map((path) => resolvePath(folder, path));
    });
  });
}

const WORD = /(?:"[^"]*"|'[^']*'|[^\s;&|"'])+/g;
/** Of a word and the one before: what a shell reads, such as the file of `. /etc/default/shop` or `$(cat live.conf)`. */
const READ = /(?:(?:^|\$\()(?:\.|source|cat|<) |\s(?:\$\()?<)([^\s<>()$-][^\s<>()]*)\)?$/;
const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/s;

/** Settings that the values of an env file name. */
export function settingsInValues(values: Declaration["env"], cwd: string): string[] {
  return settingsIn(values).map((path) => resolvePath(cwd, path));
}

/** A name alone is that of a package. */
function isPath(word: string): boolean {
  return word.includes("/") || PROGRAM.test(word);
}

/** Of `--require=./first.js`, and of a URL of a file. */
function valueOf(word: string): string {
  return word.replace(/^-[-\w]*=/, "").replace(/^file:\/\//, "");
}

interface Repository {
  readonly root: string;
  readonly environment: string;
  /** By any environment, because `svcm.yaml` then says who reads it. Looked at once for all apps. */
  readonly named: readonly string[];
  /** By this environment. A file without an environment in its name, such as `.env.local`, may be read in each of them. */
  readonly own: readonly string[];
}

interface AppFolder {
  readonly cwd: string;
  /** That the app's own arguments name. */
  readonly envFiles: readonly string[];
}

interface FoundFile {
  readonly path: string;
  readonly id: string;
}

/**
 * Finds env files that the environment does not name and may read, in the folder of an app and in those above it. The app may read them
 * itself, so a change of one is a doubt. A link counts as the file that it leads to.
 */
export function unnamedEnvFiles(
  stamps: FileStamps,
  { root, environment, named, own }: Repository,
): (app: AppFolder) => string[] {
  const idsOf = (paths: readonly string[]) => stamps.read(paths).map((stamp) => stamp?.id);
  const namedIds = once(() => new Set(idsOf(named)));
  const ownNamedIds = once(() => new Set(idsOf(own)));
  const mayRead = envNamesOf(environment);
  const byFolder = new Map<string, readonly FoundFile[]>();
  const filesIn = (folder: string): readonly FoundFile[] => {
    const known = byFolder.get(folder);
    if (known !== undefined) return known;
    const names = stamps.names(folder).filter(mayRead).toSorted();
    const paths = names.map((name) => `${folder}/${name}`);
    const found = idsOf(paths).flatMap((id, index) => (id === undefined ? [] : [{ path: paths[index] ?? "", id }]));
    byFolder.set(folder, found);
    return found;
  };
  return ({ cwd, envFiles }) => {
    const found = foldersUpTo(root, cwd).flatMap(filesIn);
    if (found.length === 0) return [];
    const ownIds = idsOf(envFiles);
    const isNamed = ({ path, id }: FoundFile): boolean => {
      const [paths, ids] = environmentIn(baseName(path)) === undefined ? [own, ownNamedIds] : [named, namedIds];
      return paths.includes(path) || envFiles.includes(path) || ids().has(id) || ownIds.includes(id);
    };
    return found.filter((file) => !isNamed(file)).map(({ path }) => path);
  };
}

function foldersUpTo(root: string, folder: string): string[] {
  if (!folder.startsWith(`${root}/`)) return [folder];
  return [folder, ...foldersUpTo(root, folder.slice(0, folder.lastIndexOf("/")))];
}

/** Libraries combine files with any names, such as `.env.shared` and `.env.vault`. */
function envNamesOf(environment: string): (name: string) => boolean {
  const own = environmentOf(environment) ?? environment;
  // Staging often runs with the NODE_ENV of production.
  const environments = own === "dev" ? [own] : [own, "production"];
  return (name) => {
    if (!name.startsWith(".env") || !isEnvName(name) || isUnread(name)) return false;
    const found = environmentIn(name);
    return found === undefined || environments.includes(found);
  };
}

function environmentIn(name: string): string | undefined {
  return name === ".env.local" ? undefined : environmentInName(name);
}

/** Some libraries read a file of defaults, so it is not a template. */
function isUnread(name: string): boolean {
  return isTemplateName(name) && !/defaults?/i.test(name);
}
