import type { DeclaredApp } from "../pm2/declared.ts";
import { resolvePath } from "../project/resolve.ts";

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
