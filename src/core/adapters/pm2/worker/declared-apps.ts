import { basename, extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { maskCredentials } from "../../../env/redact.ts";
import type { DeclaredIn } from "../../../ports.ts";
import { canonicalValue } from "../../../telemetry/canonical-value.ts";
import { LinkFailure } from "../failure.ts";
import { wordsOf } from "./connection.ts";

/** An app as the file declares it. */
export type App = Record<string, unknown>;

/**
 * The apps of that name. The file is code: it runs here, in a worker that is used for nothing else.
 *
 * @throws {LinkFailure} APP_NOT_DECLARED, ECOSYSTEM_UNREADABLE
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

async function load(file: string): Promise<unknown> {
  try {
    const module = (await import(pathToFileURL(file).href)) as { default?: unknown };
    return module.default ?? module;
  } catch (error) {
    throw new LinkFailure("ECOSYSTEM_UNREADABLE", `${file} cannot be run: ${maskCredentials(wordsOf(error))}`);
  }
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
