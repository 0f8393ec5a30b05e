import { baseName } from "../../words/path.ts";
import { chosenFiles } from "./alternatives.ts";
import { appsIn, withoutComments } from "./apps-in.ts";
import { environmentFor, environmentIn, environmentOf } from "./environment-names.ts";
import type { NotUnderstood, Pm2File } from "./pm2-file.ts";
import { homeOf, isCallerName, isPm2Name, isScriptLikePm2, type Survey } from "./survey.ts";

interface Pm2Call {
  readonly file: string;
  readonly env: string | undefined;
}

export function pm2FilesOf(
  { files }: Survey,
  packages: readonly string[],
): { pm2: readonly Pm2File[]; notUnderstood: NotUnderstood[] } {
  const calls = callsIn(files);
  const found: Pm2File[] = [];
  const notUnderstood: NotUnderstood[] = [];
  for (const [path, text = ""] of files) {
    if (isScriptLikePm2(baseName(path)))
      notUnderstood.push({
        path,
        line: 1,
        what: "PM2 would run this file as a script, because its name does not end in .config.js",
      });
    if (!isPm2Name(baseName(path)) || !/\b(?:apps|script|cmd|exec)\b["']?\s*:/.test(text)) continue;
    const home = homeOf(path, packages);
    const manifest = files.get(home === "." ? "package.json" : `${home}/package.json`) ?? "";
    const isBroken = isUnwantedModule(path, manifest);
    if (isBroken) notUnderstood.push({ path, line: 1, what: moduleNote(path) });
    const line = lineOf(text, /\benv_file\b["']?\s*:/);
    if (line !== undefined) notUnderstood.push({ path, line, what: "env_file is a field that PM2 ignores" });
    found.push({ ...pm2File(path, text, calls), home, isBroken });
  }
  const { pm2, left } = chosenFiles(found);
  return { pm2, notUnderstood: [...notUnderstood, ...left] };
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
  const text = withoutComments(path, source);
  const mine = calls.filter(({ file }) => path === file || path.endsWith(`/${file}`));
  const named = environmentIn(baseName(path).replace(/^(?:ecosystem|pm2|process)/i, ""));
  const facts = { path, named, apps: appsIn(path, text), isCalled: mine.length > 0 };
  const blocks = [...text.matchAll(/\benv_([A-Za-z][\w-]*)["']?\s*:/g)].flatMap(([, name = ""]) =>
    name === "file" ? [] : [name],
  );
  const names = [...new Set([...blocks, ...mine.flatMap(({ env }) => env ?? [])])];
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
  const texts = [...files].flatMap(([path, text]) => (text !== undefined && isCallerName(path) ? [text] : []));
  return texts.flatMap((text) =>
    [
      ...text.matchAll(
        /\bpm2(?:-runtime|-docker)?["']?,?\s+["']?(?:(?:start|restart|reload|startOrReload|startOrRestart|startOrGracefulReload)["']?,?\s+["']?)?(?:\.\/)?([\w./-]+\.(?:json|ya?ml|config\.[cm]?js))\b([^\n;&|]*)/g,
      ),
    ].map(([, file = "", rest = ""]) => ({ file, env: /--env[=\s"',]+([A-Za-z][\w-]*)/.exec(rest)?.[1] })),
  );
}

function lineOf(text: string, pattern: RegExp): number | undefined {
  const index = text.search(pattern);
  return index === -1 ? undefined : text.slice(0, index).split("\n").length;
}
