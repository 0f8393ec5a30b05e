import type { Data, LoadedEcosystem } from "../loaded.ts";
import { isPm2Field } from "../pm2-fields.ts";
import { omitUndefined } from "../../api/omit-undefined.ts";
import { isRecord } from "../../words/record.ts";

export interface PickedApp {
  readonly fields: Readonly<Record<string, Data>>;
  readonly keys: readonly string[];
  readonly unset: readonly string[];
}

export interface Picked extends Pick<LoadedEcosystem, "found" | "isDefaultExport" | "beside"> {
  readonly apps: readonly PickedApp[];
}

export class ExportError extends Error {
  override readonly name = "ExportError";
}

export class TooLargeError extends Error {
  override readonly name = "TooLargeError";
}

const MAX_APPS = 1000;
const MAX_NODES = 50_000;
const MAX_DEPTH = 8;
const MAX_CHARACTERS = 2 ** 20;

/** As PM2 does. Each property is read once, because a getter or proxy may answer differently, or throw. */
export function pickApps(exported: unknown): Picked {
  const isDefaultExport = isDefaultExportOnly(exported);
  const config = isDefaultExport ? (exported as { default: unknown }).default : exported;
  if (!isConfig(config)) throw wrongExport(config);
  if (config instanceof Promise) throw new ExportError("it exports a promise, which PM2 does not wait for");
  const { found, value } = Array.isArray(config) ? { found: "export" as const, value: config } : findApps(config);
  if (!isObject(value)) throw new ExportError(`"${found}" is ${typeName(value)}; expected a list of apps`);
  const list: unknown[] = Array.isArray(value) ? value : [value];
  // PM2 would treat the object as an app and fail with "No script path".
  if (found === "apps" && !Array.isArray(value) && Object.keys(value).length === 0)
    throw new ExportError('"apps" is an empty object; expected a list of apps');
  if (list.length > MAX_APPS) throw new TooLargeError();
  const budget = { nodes: MAX_NODES, characters: MAX_CHARACTERS };
  const declared = found === "nothing" ? [] : Array.from(list, (app, index) => pickApp(app, index, budget));
  const servers = staticServers(config).map((app, index) => pickApp(app, list.length + index, budget));
  const blocks = deployBlocks(config, budget);
  const apps = [...declared, ...servers].map((app) => withDeployVariables(app, blocks));
  return { apps, found, isDefaultExport, ...besideApps(config, found) };
}

/** A name there is that of the project. */
function besideApps(config: object, found: Picked["found"]): Pick<Picked, "beside"> {
  if (found !== "apps") return {};
  const beside = Object.keys(config).filter((key) => key !== "name" && isPm2Field(key));
  return beside.length > 0 ? { beside } : {};
}

type DeployBlock = readonly [name: string, env: Readonly<Record<string, Data>>];

/** The variables of `deploy` that `pm2 start --env` gives to every app. */
function deployBlocks(config: Readonly<Record<string, unknown>>, budget: Budget): DeployBlock[] {
  const { deploy } = config;
  if (!isObject(deploy)) return [];
  return Object.keys(deploy).flatMap((name): DeployBlock[] => {
    const target = deploy[name];
    const env = isObject(target) && isObject(target["env"]) ? copy(target["env"], budget, 1) : undefined;
    return isRecord(env) ? [[`env_${name}`, env]] : [];
  });
}

/** They win over `env`, and a block of the app wins over them: see `Common.mergeEnvironmentVariables` of PM2. */
function withDeployVariables(app: PickedApp, blocks: readonly DeployBlock[]): PickedApp {
  const merged = blocks.map(([name, env]) => {
    const own = app.fields[name];
    return [name, isRecord(own) ? { ...env, ...own } : env] as const;
  });
  return { ...app, fields: { ...app.fields, ...Object.fromEntries(merged) } };
}

function wrongExport(config: unknown): ExportError {
  return new ExportError(`it exports ${typeName(config)}; expected an object with "apps"`);
}

/** PM2 reads the list of a function or a class, too, but calls neither. */
function isConfig(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) || typeof value === "function";
}

function findApps(config: Readonly<Record<string, unknown>>): { found: Picked["found"]; value: unknown } {
  for (const found of ["apps", "pm2"] as const) {
    const value = config[found];
    if (value) return { found, value };
  }
  if (!isObject(config)) throw wrongExport(config);
  const isApp = ["script", "cmd", "command", "exec"].some((name) => name in config);
  return { found: isApp ? "export" : "nothing", value: config };
}

/** See `API._startJson` of PM2. */
function staticServers(config: Readonly<Record<string, unknown>>): object[] {
  const { static: entries } = config;
  if (!Array.isArray(entries)) return [];
  return entries.filter(isObject).map((entry) => {
    const { name, port, host, path, spa, ftp, directory, basic_auth: auth, monitor } = entry;
    const { username, password } = isObject(auth) ? auth : { username: null, password: null };
    const variables = {
      PM2_SERVE_PORT: port,
      PM2_SERVE_HOST: host,
      PM2_SERVE_PATH: path,
      PM2_SERVE_SPA: spa,
      PM2_SERVE_FTP: ftp,
      PM2_SERVE_DIRECTORY: directory,
      PM2_SERVE_BASIC_AUTH: auth !== undefined,
      PM2_SERVE_BASIC_AUTH_USERNAME: username,
      PM2_SERVE_BASIC_AUTH_PASSWORD: password,
      PM2_SERVE_MONITOR: monitor,
    };
    return { name: name || `static-page-server-${String(port)}`, script: "serve", env: omitUndefined(variables) };
  });
}

function isDefaultExportOnly(exported: unknown): boolean {
  if (!isObject(exported) || Object.prototype.toString.call(exported) !== "[object Module]") return false;
  return "default" in exported && !("apps" in exported) && !("pm2" in exported);
}

interface Budget {
  nodes: number;
  characters: number;
}

function pickApp(app: unknown, index: number, budget: Budget): PickedApp {
  if (!isObject(app) || Array.isArray(app)) {
    throw new ExportError(`apps[${index}] is ${typeName(app)}; expected an object`);
  }
  const keys = Object.keys(app);
  spendBudget(budget, keys.length, keys.join("").length);
  const fields = keys.flatMap((key): [string, Data][] => {
    if (!isPm2Field(key)) return [];
    const value = copy(app[key], budget, 0);
    return value === undefined ? [] : [[key, value]];
  });
  const picked = Object.fromEntries(fields);
  return { fields: picked, keys, unset: unsetVariables(app["env"], picked["env"]) };
}

function unsetVariables(env: unknown, picked: Data | undefined): string[] {
  if (!isObject(env) || !isRecord(picked)) return [];
  return Object.keys(env).filter((key) => !Object.hasOwn(picked, key));
}

function copy(value: unknown, budget: Budget, depth: number): Data | undefined {
  spendBudget(budget, 1, typeof value === "string" ? value.length : 0);
  if (value === null) return null;
  if (typeof value !== "object") return copyScalar(value);
  if (depth === MAX_DEPTH) return undefined;
  // PM2 writes a variable that is an object as JSON.
  if (value instanceof Date) return depth === 1 ? JSON.stringify(value) : (JSON.parse(JSON.stringify(value)) as Data);
  if (Array.isArray(value)) return copyList(value, budget, depth);
  const entries = Object.keys(value).flatMap((key): [string, Data][] => {
    const member = copy((value as Record<string, unknown>)[key], budget, depth + 1);
    spendBudget(budget, 0, key.length);
    return member === undefined ? [] : [[key, member]];
  });
  return Object.fromEntries(entries);
}

function copyScalar(value: unknown): Data | undefined {
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  return typeof value === "bigint" ? String(value) : undefined;
}

function copyList(list: readonly unknown[], budget: Budget, depth: number): Data[] {
  spendBudget(budget, list.length, 0);
  return list.map((element) => copy(element, budget, depth + 1) ?? null);
}

function spendBudget(budget: Budget, nodes: number, characters: number): void {
  budget.nodes -= nodes;
  budget.characters -= characters;
  if (budget.nodes < 0 || budget.characters < 0) throw new TooLargeError();
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function typeName(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
