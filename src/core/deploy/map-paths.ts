/** An ecosystem file may write absolute paths of the checkout or of `current`; in a release they are its own. */
import { SvcmError } from "../api/errors.ts";
import type { Data, LoadedApp, LoadedEcosystem } from "../pm2/loaded.ts";
import { normaliseApp } from "../pm2/normalise.ts";
import { escapeRegExp } from "../words/text.ts";
import { isRecord } from "../words/record.ts";

export interface PathMap {
  /** The folders whose paths are those of the release: the checkout and `current`. */
  readonly from: readonly string[];
  readonly release: string;
  /** Logs and pid files would be lost with the release, so they lie here. */
  readonly shared: string;
}

/** Variables of an app are its own: only it knows what they mean. */
const UNTOUCHED = /^(?:name|namespace|env|env_.+|filter_env)$/;
const OUTPUT =
  /^(?:out_file|out|output|out_log|error_file|error|err_file|err_log|err|log_file|log|combined_log|pid_file|pid|pm_pid_path|pm_out_log_path|pm_err_log_path)$/;

export function mapLoaded(loaded: LoadedEcosystem, map: PathMap): LoadedEcosystem {
  return { ...loaded, apps: loaded.apps.map((app) => mapApp(app, map)) };
}

function mapApp(app: LoadedApp, map: PathMap): LoadedApp {
  const toRelease = pathMapper(map.from, map.release);
  const toShared = (path: string, cwd: string): string => {
    const mapped = toRelease(path);
    const absolute = mapped.startsWith("/") ? mapped : `${cwd}/${mapped.replace(/^\.\//, "")}`;
    const isInside = absolute.startsWith(`${map.release}/`) && !absolute.includes("/../");
    return isInside ? `${map.shared}${absolute.slice(map.release.length)}` : mapped;
  };
  const cwd = toRelease(app.places.cwd);
  const fields = Object.entries(app.fields).map(([name, value]): [string, Data] => {
    if (UNTOUCHED.test(name)) return [name, value];
    if (OUTPUT.test(name) && typeof value === "string") return [name, isDevice(value) ? value : toShared(value, cwd)];
    return [name, mapText(value, toRelease)];
  });
  return {
    ...app,
    fields: Object.fromEntries(fields),
    places: JSON.parse(toRelease(JSON.stringify(app.places))) as LoadedApp["places"],
    ...(app.start && { start: { ...app.start, path: toRelease(app.start.path) } }),
  };
}

function isDevice(path: string): boolean {
  return path === "NULL" || path.startsWith("/dev/");
}

function mapText(value: Data, change: (text: string) => string): Data {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return (value as readonly Data[]).map((one) => mapText(one, change));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapText(one, change)]));
}

/** Only whole path parts: `/srv/app` is not the beginning of `/srv/app-old`. */
function pathMapper(from: readonly string[], to: string): (text: string) => string {
  const folders = from.filter((folder) => folder !== to).toSorted((a, b) => b.length - a.length);
  if (folders.length === 0) return (text) => text;
  // A release may lie below the checkout, and its own paths stay.
  const pattern = new RegExp(
    `(^|[\\s"'=:,])(?:(${escapeRegExp(to)})|${folders.map(escapeRegExp).join("|")})(?=$|[/\\s"':,])`,
    "g",
  );
  return (text) => text.replaceAll(pattern, (_all, before: string) => `${before}${to}`);
}

export interface Elsewhere {
  readonly programFolders: readonly string[];
  readonly release: string;
}

/** The code of such an app would not come from the release. @throws {SvcmError} DEPLOY_FAILED with DEPLOY_PATH_OUTSIDE */
export function requireInside({ apps }: LoadedEcosystem, { programFolders, release }: Elsewhere): void {
  const isInside = (path: string): boolean => path === release || path.startsWith(`${release}/`);
  for (const { fields, places } of apps) {
    const { name } = normaliseApp(fields);
    const folder = places.script.slice(0, places.script.lastIndexOf("/"));
    const isProgram = programFolders.includes(folder) || places.script === "";
    const outside = isInside(places.cwd) ? (isInside(places.script) || isProgram ? undefined : "script") : "cwd";
    if (outside === undefined) continue;
    throw new SvcmError("DEPLOY_FAILED", {
      code: "DEPLOY_PATH_OUTSIDE",
      path: places[outside],
      details: `The ${outside} of ${name} is ${places[outside]}, which is neither in the commit nor below the checkout or current, so it would run other code than the release.`,
      hint: `Write ${outside} relative to the ecosystem file, for example with __dirname.`,
    });
  }
}

/** Names of variables whose value names the checkout or `current`; svcm does not change values. */
export function foreignVariables({ apps }: LoadedEcosystem, { from }: Pick<PathMap, "from">): string[] {
  const names = apps.flatMap(({ fields }) => {
    const env = isRecord(fields["env"]) ? fields["env"] : {};
    const found = Object.entries(env).filter(
      ([, value]) =>
        typeof value === "string" && from.some((folder) => value === folder || value.includes(`${folder}/`)),
    );
    return found.map(([key]) => `${normaliseApp(fields).name}: ${key}`);
  });
  return [...new Set(names)];
}
