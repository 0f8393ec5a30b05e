import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { DeclaredIn } from "../../../process/ports.ts";
import { canonicalValue } from "../../../telemetry/canonical-value.ts";
import { LinkFailure } from "../failure.ts";

/** An app as the file declares it. */
export type App = Record<string, unknown>;

/**
 * The apps of that name. The file is code: it runs here, in a worker that is used for nothing else.
 *
 * @throws {LinkFailure} APP_NOT_DECLARED, ECOSYSTEM_FILE_THREW
 */
export async function declaredApps({ file, cwd }: DeclaredIn, name: string): Promise<App[]> {
  // As where the file is read: a worker has no current folder of its own.
  process.cwd = () => cwd;
  const apps = appsOf(await load(file)).filter((app) => nameOf(app) === name);
  if (apps.length === 0) throw new LinkFailure("APP_NOT_DECLARED", `${file} declares no app ${JSON.stringify(name)}.`);
  // PM2 would take relative paths from the folder in which this process happens to run.
  return apps.map((app) => ({ ...app, name, cwd: resolve(cwd, textOf(app["cwd"])) }));
}

/** The variables that the file declares for an app. @throws {LinkFailure} */
export async function declaredEnvironment(declared: DeclaredIn, name: string): Promise<Record<string, string>> {
  const apps = await declaredApps(declared, name);
  const entries = apps.flatMap((app) => Object.entries(Object(app["env"]) as App));
  return Object.fromEntries(entries.map(([key, value]) => [key, canonicalValue(value)]));
}

/** The message of what a file throws may quote a secret: it is not told. */
async function load(file: string): Promise<unknown> {
  try {
    const data = /\.(?:json|ya?ml)$/.exec(file);
    if (data !== null) return parseAsPm2(readFileSync(file, "utf8"), data[0]);
    const module = (await import(pathToFileURL(file).href)) as { default?: unknown };
    return module.default ?? module;
  } catch {
    throw new LinkFailure("ECOSYSTEM_FILE_THREW", `${file} cannot be run. See why: node ${file}`);
  }
}

/** PM2 looks for the ending anywhere in the path, folders included: it is given the ending alone. */
function parseAsPm2(text: string, ending: string): unknown {
  const common = createRequire(import.meta.url)("pm2/lib/Common.js") as {
    parseConfig(text: string, fileName: string): unknown;
  };
  return common.parseConfig(text, `ecosystem${ending}`);
}

function appsOf(declaration: unknown): App[] {
  const { apps = declaration } = Object(declaration) as { apps?: unknown };
  return [apps].flat().filter((app): app is App => typeof app === "object" && app !== null);
}

/** As PM2 names an app that has no name. */
function nameOf(app: App): string {
  const script = textOf(app["script"]);
  return textOf(app["name"]) || basename(script, extname(script));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
