import type { HasFiles } from "../files/ports.ts";
import type { DeclaredApp } from "../pm2/declared.ts";
import { resolvePath } from "../project/resolve.ts";
import { isRecord, parseRecord } from "../words/record.ts";
import { decodeUtf8 } from "../words/utf8.ts";

/** The start of an app, as far as it names env files. */
export interface StartCommand {
  readonly cwd: string;
  /** By its arguments and its variables. Absolute paths. */
  readonly envFiles: readonly string[];
  /** The script of `package.json` that npm, pnpm or yarn runs. */
  readonly packageScript?: string;
  /** The absolute path of a shell script. */
  readonly shellScript?: string;
}

const PACKAGE_MANAGER = /(?:^|\/)(?:npm|pnpm|yarn|yarnpkg|npm-cli|bun)(?:\.[cm]?js)?$/;
const SHELL = /(?:^|\/)(?:ba|da|z|k)?sh$/;

export function startCommand({
  args,
  cwd,
  env,
  interpreter,
  script,
}: Pick<DeclaredApp, "args" | "cwd" | "env" | "interpreter" | "script">): StartCommand {
  const { DOTENV_CONFIG_PATH: ofDotenv } = env;
  const named = [...envFilesIn(args.join(" ")), ...(ofDotenv === undefined ? [] : [ofDotenv])];
  const envFiles = named.map((path) => resolvePath(cwd, path));
  const packageScript = args.find((word) => !/^(?:-.*|run(?:-script)?)$/.test(word));
  if (PACKAGE_MANAGER.test(script) && packageScript !== undefined) return { cwd, envFiles, packageScript };
  return SHELL.test(interpreter) ? { cwd, envFiles, shellScript: script } : { cwd, envFiles };
}

/** The env files that the start of an app names, wherever it does. Absolute paths that need not exist. */
export async function startEnvFiles(
  { files }: HasFiles,
  { cwd, envFiles, packageScript, shellScript }: StartCommand,
): Promise<string[]> {
  const read = async (path: string): Promise<string> =>
    decodeUtf8(await files.read(path, { mayBeOutside: true }).catch(() => new Uint8Array())) ?? "";
  const texts = [
    ...(shellScript === undefined ? [] : [await read(shellScript)]),
    ...(packageScript === undefined ? [] : scriptTexts(await read(resolvePath(cwd, "package.json")), packageScript)),
  ];
  const named = texts.flatMap(envFilesIn).map((path) => resolvePath(cwd, path));
  return [...new Set([...envFiles, ...named])];
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

const NAMED = [
  /--env-file(?:-if-exists)?[=\s]\s*(?<path>"[^"]+"|'[^']+'|[^\s;&|]+)/g,
  /\bdotenv_config_path=(?<path>"[^"]+"|'[^']+'|[^\s;&|]+)/gi,
  /\b(?:dotenv|dotenvx|env-cmd)\s(?:[^;&|]*?\s)?(?:-e|-f|--file)[=\s]\s*(?<path>"[^"]+"|'[^']+'|[^\s;&|]+)/g,
  /(?:^|[\s;&])(?:\.|source)\s+(?<path>[^\s;&|]*env[^\s;&|/]*)(?![^\s;&|])/g,
];

/** In the words of a command. A path with a variable is unknown. */
function envFilesIn(text: string): string[] {
  return NAMED.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(({ groups }) => (groups?.["path"] ?? "").replaceAll(/["']/g, "")),
  ).filter((path) => path !== "" && !path.includes("$"));
}
