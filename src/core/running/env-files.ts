import { parseEnvDocument, valuesOf } from "../env/document.ts";
import { baseName } from "../words/text.ts";
import { isPlainKey } from "../secrets/redact.ts";
import { ownMember, isRecord, parseRecord } from "../words/record.ts";
import { FileError, type HasFiles, type HasStamps } from "../files/ports.ts";
import { packageRun, type PackageRun } from "./package-run.ts";
import { type FollowedRun, followRun } from "./package-scripts.ts";
import { decodeUtf8 } from "../words/utf8.ts";
import type { DeclaredApp } from "../pm2/declared.ts";
import { resolvePath } from "../project/resolve.ts";

/** Keyed digests of values, by key. */
export type Digests = Readonly<Record<string, string>>;

export type Digest = (value: string) => string;

/**
 * Digests what a program reads from an env file, without a value. A line of a private key can look like a key, so such a name
 * is a digest, too.
 */
function digestEnvFile(text: string, digest: Digest): Digests {
  const entries = [...valuesOf(parseEnvDocument(text))];
  return Object.fromEntries(
    entries.map(([key, value]) => [isPlainKey(key) ? key : `${HIDDEN_KEY}${digest(key)}`, digest(value)]),
  );
}

const HIDDEN_KEY = "#";

function isHiddenKey(key: string): boolean {
  return key.startsWith(HIDDEN_KEY);
}

/** An env file that the app reads itself, for example with dotenv, or that Node.js reads for it. */
export interface EnvFileFacts {
  readonly path: string;
  /** The name to show. */
  readonly name: string;
  /** With `--env-file`, the variables of the process always win. */
  readonly isReadByNode: boolean;
  /** The environment does not name it, so nothing says whether the app reads it. */
  readonly isUnnamed?: boolean;
  /** `null` if it does not exist, `undefined` if it cannot be read. */
  readonly now: Digests | null | undefined;
  /** The content that the process read, if svcm has a record of its start. */
  readonly recorded: Digests | undefined;
  /** The times of its last change and write; `undefined` if they are not known. */
  readonly changedMs: number | undefined;
  readonly modifiedMs: number | undefined;
}

export interface EnvFileChange {
  readonly path: string;
  readonly name: string;
  /** `null` if only the time of the file is known. */
  readonly key: string | null;
  readonly state: "absent" | "different" | "stale";
}

export interface EnvFileComparison {
  readonly changes: readonly EnvFileChange[];
  readonly unknown: readonly string[];
}

/** A file system's clock may be behind the clock of the machine by this much. */
export const CLOCK_TOLERANCE_MS = 20;

/**
 * Compares what the process read with what it would read now, a later file over an earlier one. A record decides by
 * content; without one, only a time is known.
 * @param files in the order in which they are read
 * @param startedAt `null` if the process does not run: it will read the files when it starts
 */
export function compareEnvFiles(files: readonly EnvFileFacts[], startedAt: number | null): EnvFileComparison {
  if (startedAt === null) return { changes: [], unknown: [] };
  const recorded = files.filter((file) => file.recorded !== undefined && file.now !== undefined);
  const isTimed = ({ recorded: record, now, changedMs }: EnvFileFacts): boolean =>
    record === undefined && now !== null && changedMs !== undefined;
  const timed = files.filter(isTimed);
  const unread = files.filter((file) => file.now === undefined && !isTimed(file));
  const isLater = (time: number | undefined): boolean => time !== undefined && time > startedAt - CLOCK_TOLERANCE_MS;
  const isRewritten = ({ isReadByNode, modifiedMs }: EnvFileFacts): boolean =>
    isReadByNode && modifiedMs !== undefined && modifiedMs > startedAt;
  return {
    changes: [
      ...changedKeys(recorded),
      ...timed.filter(isRewritten).map(({ path, name }): EnvFileChange => ({ path, name, key: null, state: "stale" })),
    ],
    unknown: [
      ...unread.map(({ name }) => `${name} cannot be read`),
      ...timed
        .filter((file) => isLater(file.changedMs) && !isRewritten(file))
        .map(
          ({ name }) => `${name} was changed or touched after the start, and svcm has no record of what it contained`,
        ),
    ],
  };
}

function changedKeys(files: readonly EnvFileFacts[]): EnvFileChange[] {
  const before: Digests = Object.assign({}, ...files.map(({ recorded }) => recorded));
  const now: Digests = Object.assign({}, ...files.map((file) => file.now));
  const keys = [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(
    (key) => ownMember(before, key) !== ownMember(now, key),
  );
  return keys.flatMap((key): EnvFileChange[] => {
    const file = files.findLast(({ recorded, now: present }) => ownMember(recorded, key) !== ownMember(present, key));
    if (file === undefined) return [];
    const state =
      ownMember(now, key) === undefined ? "stale" : ownMember(before, key) === undefined ? "absent" : "different";
    return [{ path: file.path, name: file.name, key: isHiddenKey(key) ? null : key, state }];
  });
}

/** `null` if the file does not exist, `undefined` if it cannot be read. */
export type EnvFileContents = ReadonlyMap<string, Digests | null | undefined>;

export async function readEnvFileContents(
  { files }: HasFiles,
  paths: Iterable<string>,
  digest: Digest,
): Promise<EnvFileContents> {
  const read = async (path: string): Promise<Digests | null | undefined> => {
    try {
      const text = decodeUtf8(await files.read(path, { mayBeOutside: true }));
      return text === undefined ? undefined : digestEnvFile(text, digest);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      return error.code === "ENOENT" ? null : undefined;
    }
  };
  return new Map(await Promise.all([...new Set(paths)].map(async (path) => [path, await read(path)] as const)));
}

/** Values of env files by path, of those that can be read. They may hold secrets. */
export async function readEnvValues(
  { files }: HasFiles,
  paths: Iterable<string>,
): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
  const read = async (path: string): Promise<Readonly<Record<string, string>>> => {
    const text = decodeUtf8(await files.read(path, { mayBeOutside: true }).catch(() => new Uint8Array()));
    return text === undefined ? {} : Object.fromEntries(valuesOf(parseEnvDocument(text)));
  };
  return new Map(await Promise.all([...new Set(paths)].map(async (path) => [path, await read(path)] as const)));
}

/** The start of an app, as far as it names env files. */
export interface StartCommand {
  readonly cwd: string;
  /** By its arguments and its variables. Absolute paths. */
  readonly envFiles: readonly string[];
  /** The script of `package.json` that it runs. */
  readonly packageRun?: PackageRun;
  /** The absolute path of a shell script. */
  readonly shellScript?: string;
  /** The script, without its folder, and its arguments. */
  readonly line: string;
}

const SHELL = /(?:^|\/)(?:ba|da|z|k)?sh$/;

export function startCommand({
  args,
  cwd,
  env,
  interpreter,
  script,
}: Pick<DeclaredApp, "args" | "cwd" | "env" | "interpreter" | "script">): StartCommand {
  const { DOTENV_CONFIG_PATH: ofDotenv } = env;
  const named = [...envFilesIn([script, ...args].join(" ")), ...(ofDotenv === undefined ? [] : [ofDotenv])];
  const envFiles = named.map((path) => resolvePath(cwd, path));
  const line = [baseName(script), ...args].join(" ");
  const run = packageRun([script, ...args]);
  if (run !== undefined) return { cwd, envFiles, line, packageRun: run };
  return { cwd, envFiles, line, ...(SHELL.test(interpreter) && { shellScript: script }) };
}

/** Named by the start of an app, wherever it does. */
export interface NamedByStart extends FollowedRun {
  /** Absolute paths that need not exist. */
  readonly envFiles: readonly string[];
  /** Commands of its shell script, or of `package.json`. */
  readonly texts: readonly string[];
  /** Patterns of what a development server compiles while it runs, which says nothing about the code of its start. */
  readonly compiled: readonly string[];
}

const DEVELOPMENT_SERVERS = [
  { command: /(?:^|[\s;&|/])next\s+(?:-\S+\s+)*dev(?:$|[\s;&|])/, outputs: [".next"] },
  { command: /(?:^|[\s;&|/])nux(?:t|i)(?:\.mjs)?\s+(?:-\S+\s+)*dev(?:$|[\s;&|])/, outputs: [".nuxt"] },
  { command: /(?:^|[\s;&|/])astro(?:\.m?js)?\s+(?:-\S+\s+)*dev(?:$|[\s;&|])/, outputs: [".astro"] },
  { command: /(?:^|[\s;&|/])react-router\s+(?:-\S+\s+)*dev(?:$|[\s;&|])/, outputs: [".react-router"] },
  // Without a command, Vite serves what it compiles, as SvelteKit and others do with it.
  {
    command: /(?:^|[\s;&|/])vite(?:\.js)?(?!\s+(?:-\S+\s+)*(?:build|preview|optimize)(?:$|[\s;&|]))(?:$|[\s;&|])/,
    outputs: [".svelte-kit", ".react-router"],
  },
];

export async function readStartCommand(
  ports: HasFiles & HasStamps,
  { cwd, envFiles, line, packageRun: run, shellScript }: StartCommand,
): Promise<NamedByStart> {
  const { files } = ports;
  const { folder, scripts } = await followRun(ports, cwd, run);
  const read = async (path: string): Promise<string> =>
    decodeUtf8(await files.read(path, { mayBeOutside: true }).catch(() => new Uint8Array())) ?? "";
  const own = [
    ...(SHELL.test(line.split(" ")[0] ?? "") ? [line] : []),
    ...(shellScript === undefined ? [] : [await read(shellScript)]),
  ];
  const ofScripts = scripts.map(({ folder: at, manifest, name }, index) => ({
    texts: scriptTexts(manifest, name),
    at: index === scripts.length - 1 ? (folder ?? at) : at,
  }));
  const texts = [...own, ...ofScripts.flatMap((one) => one.texts)];
  const named = [{ texts: own, at: cwd }, ...ofScripts].flatMap(({ texts: those, at }) =>
    those.flatMap(envFilesIn).map((path) => resolvePath(at, path)),
  );
  const servers = DEVELOPMENT_SERVERS.filter(({ command }) => [line, ...texts].some((text) => command.test(text)));
  return {
    folder,
    scripts,
    texts,
    envFiles: [...new Set([...envFiles, ...named])],
    compiled: servers.flatMap(({ outputs }) => outputs),
  };
}

/** With the scripts that it runs in turn. */
function scriptTexts(manifest: string, first: string): string[] {
  const { scripts } = parseRecord(manifest) ?? {};
  if (!isRecord(scripts)) return [];
  const textOf = (name: string): string => {
    const text = scripts[name];
    return typeof text === "string" ? text : "";
  };
  const names = new Set([first]);
  // A set also visits what is added meanwhile.
  for (const name of names) {
    if (Object.hasOwn(scripts, `pre${name}`)) names.add(`pre${name}`);
    for (const [, next = ""] of textOf(name).matchAll(/\b(?:npm|pnpm|yarn)\s+(?:run\s+)?(?:-\S+\s+)*([\w:.-]+)/g))
      if (Object.hasOwn(scripts, next)) names.add(next);
  }
  return [...names].map(textOf);
}

const PATH = /(?<path>"[^"]+"|'[^']+'|[^\s;&|]+)/.source;
const NAMED = [
  `--env-file(?:-if-exists)?[=\\s]\\s*${PATH}`,
  `\\bdotenv_config_path=${PATH}`,
  "(?:^|[\\s;&])(?:\\.|source)\\s+(?<path>[^\\s;&|]*env[^\\s;&|/]*)(?![^\\s;&|])",
].map((pattern) => new RegExp(pattern, "gi"));
/** Up to the command that it starts. */
const WRAPPER =
  /\b(?:dotenv|dotenvx|env-cmd|dotenv-cli\/cli|bin\/env-cmd|dotenvx\/src\/cli\/dotenvx)(?:\.js)?\s(?:(?!\s--\s)[^;&|])*/g;
const OPTION = new RegExp(`\\s(?:-e|-f|--file)[=\\s]\\s*${PATH}`, "g");

/** In the words of a command. A path with a variable is unknown. */
function envFilesIn(text: string): string[] {
  const wrapped = (text.match(WRAPPER) ?? []).flatMap((words) => [...words.matchAll(OPTION)]);
  // The command of dotenv takes a list.
  const lists = wrapped.flatMap(({ groups }) => (groups?.["path"] ?? "").split(","));
  const named = NAMED.flatMap((pattern) => [...text.matchAll(pattern)].map(({ groups }) => groups?.["path"] ?? ""));
  return [...named, ...lists]
    .map((path) => path.replaceAll(/["']/g, ""))
    .filter((path) => path !== "" && !path.includes("$"));
}
