import { execFile } from "node:child_process";
import { createRequire, isBuiltin } from "node:module";
import { promisify } from "node:util";
import { hasErrorCode, readText } from "../files/system.ts";

const MAX_FILES = 200;
const MAX_CHECK_MS = 5000;
const SCRIPT = /\.[cm]?js$/;

/** Runs none of the code. Returns a sentence without its full stop, or undefined if it finds no fault. */
export async function findLoadFault(script: string): Promise<string | undefined> {
  if (!SCRIPT.test(script)) return undefined;
  return (await checkSyntax(script)) ?? (await findMissingModule(script));
}

async function checkSyntax(script: string): Promise<string | undefined> {
  const options = { timeout: MAX_CHECK_MS, env: {} };
  try {
    await promisify(execFile)(process.execPath, ["--check", script], options);
    return undefined;
  } catch (error) {
    return error instanceof Error && "stderr" in error ? syntaxFault(String(error.stderr)) : undefined;
  }
}

async function findMissingModule(script: string): Promise<string | undefined> {
  const paths = [script];
  for (const path of paths) {
    const { resolve } = createRequire(path);
    const code = await readText(path).catch(() => "");
    for (const name of namedModules(code ?? "").filter((one) => !isBuiltin(one))) {
      const found = resolveModule(resolve, name);
      if (found === "missing") return `${path} needs ${JSON.stringify(name)}, which does not exist`;
      const isOwn = name.startsWith(".") && found !== undefined && SCRIPT.test(found) && !paths.includes(found);
      if (isOwn && paths.length < MAX_FILES) paths.push(found);
    }
  }
  return undefined;
}

/** Undefined for a package that only an import finds. */
function resolveModule(resolve: NodeJS.RequireResolve, name: string): string | undefined {
  try {
    return resolve(name.replace(/^file:\/\//, ""));
  } catch (error) {
    return hasErrorCode(error, "MODULE_NOT_FOUND") ? "missing" : undefined;
  }
}

const COMMENTS = /\/\*[^]*?\*\/|^\s*\/\/.*$/gm;
/** A module that is loaded there may be missing. */
const TRIES = /\btry\s*\{[^}]*\}/g;
const MODULES = /(?:\brequire\(\s*|^\s*import\s+|^\s*(?:import|export)\b[^"';]*\bfrom\s+)(["'])([^"'\n]+)\1/gm;

/** The modules that the code names when it is loaded, without those that it may do without. */
export function namedModules(code: string): string[] {
  const plain = code.replace(COMMENTS, "").replace(TRIES, "");
  return [...new Set([...plain.matchAll(MODULES)].flatMap(([, , name]) => name ?? []))];
}

/** @param text what `node --check` writes */
function syntaxFault(text: string): string | undefined {
  const [, place = ""] = /^(?:file:\/\/)?(\/.+:\d+)$/m.exec(text) ?? [];
  const error = /^SyntaxError: .*$/m.exec(text)?.[0];
  return error === undefined ? undefined : `${place === "" ? "" : `${place}: `}${error}`;
}
