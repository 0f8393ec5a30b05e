import { environmentFor, environmentIn, environmentOf } from "./environment-names.ts";
import { baseName } from "../../words/path.ts";
import { folderOf, isCallerName, isPm2Name, isScriptLikePm2, type Survey } from "./survey.ts";

/** A PM2 configuration as its text shows it; it was not run. */
export interface Pm2File {
  readonly path: string;
  /** By environment, the name after `--env`; `null` for a start without it. */
  readonly environments: Readonly<Record<string, string | null>>;
  /** True if nothing in the file or around it names an environment. */
  readonly isGuess: boolean;
  /** Names and folders of its apps, as far as the text shows them. */
  readonly apps: readonly { readonly name: string; readonly folder: string | undefined }[];
}

/** Text that detection does not understand, for people. */
export interface NotUnderstood {
  readonly path: string;
  readonly line: number;
  readonly what: string;
}

/** A call of PM2 that a team wrote down: `pm2 start <file> --env <env>`. */
interface Pm2Call {
  readonly file: string;
  readonly env: string | undefined;
}

export function pm2FilesOf({ files }: Survey): { pm2: Pm2File[]; notUnderstood: NotUnderstood[] } {
  const calls = callsIn(files);
  const pm2: Pm2File[] = [];
  const notUnderstood: NotUnderstood[] = [];
  for (const [path, text = ""] of files) {
    if (isScriptLikePm2(baseName(path)))
      notUnderstood.push({
        path,
        line: 1,
        what: "PM2 would run this file as a script, because its name does not end in .config.js",
      });
    if (!isPm2Name(baseName(path)) || !/\b(?:apps|script|cmd|exec)\b["']?\s*:/.test(text)) continue;
    const line = lineOf(text, /\benv_file\b["']?\s*:/);
    if (line !== undefined) notUnderstood.push({ path, line, what: "env_file is a field that PM2 ignores" });
    pm2.push(pm2File(path, text, calls));
  }
  return { pm2, notUnderstood };
}

function pm2File(path: string, text: string, calls: readonly Pm2Call[]): Pm2File {
  const apps = appsIn(text);
  const named = environmentIn(baseName(path).replace(/^(?:ecosystem|pm2|process)/i, ""));
  const blocks = [
    ...new Set([...text.matchAll(/\benv_([A-Za-z][\w-]*)["']?\s*:/g)].map(([, name = ""]) => name)),
  ].filter((name) => name !== "file");
  const called = calls
    .filter(({ file, env }) => env !== undefined && path.endsWith(file.replace(/^\.\//, "")))
    .flatMap(({ env }) => env ?? []);
  if (named !== undefined) {
    const block = [...blocks, ...called].find((name) => environmentFor(name) === named);
    return { path, environments: { [named]: block ?? null }, isGuess: false, apps };
  }
  const names = [...new Set([...blocks, ...called])];
  if (names.length > 0) {
    const own = Object.fromEntries(names.map((name) => [environmentFor(name), name]));
    const bare = /\benv["']?\s*:/.test(text) && !Object.hasOwn(own, "dev") ? { dev: null } : {};
    return { path, environments: { ...own, ...bare }, isGuess: false, apps };
  }
  const declared = environmentOf(/NODE_ENV["']?\s*:\s*["'](\w+)["']/.exec(text)?.[1] ?? "");
  return { path, environments: { [declared ?? "production"]: null }, isGuess: declared === undefined, apps };
}

/** Apps whose name is written out, each with the folder that its text names. */
function appsIn(text: string): Pm2File["apps"] {
  const starts = [...text.matchAll(/(?:^|[{,\s])["']?name["']?\s*:\s*["'`]?([^"'`,\n}]+)["'`]?/g)];
  return starts.flatMap((match, index) => {
    const name = (match[1] ?? "").trim();
    const part = text.slice(match.index, starts[index + 1]?.index);
    const cwd = /["']?cwd["']?\s*:\s*["']([^"'\n]+)["']/.exec(part)?.[1];
    const script = /["']?(?:script|cmd|exec)["']?\s*:\s*["']([^"'\n]+)["']/.exec(part)?.[1];
    const folder = cwd ?? (script?.includes("/") === true && !script.includes(" ") ? folderOf(script) : undefined);
    return name === "" || name.includes("${") ? [] : [{ name, folder: folder?.replace(/^\.\//, "") }];
  });
}

function callsIn(files: Survey["files"]): Pm2Call[] {
  const texts = [...files].flatMap(([path, text]) => (text !== undefined && isCallerName(path) ? [text] : []));
  return texts.flatMap((text) =>
    [
      ...text.matchAll(
        /\bpm2(?:-runtime|-docker)?["']?,?\s+["']?(?:(?:start|restart|reload|startOrReload|startOrRestart)["']?,?\s+["']?)?([\w./-]+\.(?:json|ya?ml|config\.[cm]?js))\b([^\n;&|]*)/g,
      ),
    ].map(([, file = "", rest = ""]) => ({ file, env: /--env[=\s"',]+([A-Za-z][\w-]*)/.exec(rest)?.[1] })),
  );
}

function lineOf(text: string, pattern: RegExp): number | undefined {
  const index = text.search(pattern);
  return index === -1 ? undefined : text.slice(0, index).split("\n").length;
}
