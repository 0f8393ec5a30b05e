import { baseName } from "../../words/path.ts";
import { isRecord } from "../../words/record.ts";
import { loadYaml } from "../../yaml/load.ts";
import { YamlSyntaxError } from "../../yaml/syntax-error.ts";
import { scriptApps, type ScriptApp, type Written } from "./script-apps.ts";
import { folderOf } from "./survey.ts";

export interface Pm2App {
  readonly name: string | undefined;
  /** Equal expressions mean equal names. */
  readonly source: string;
  readonly folder: string | undefined;
  /** As written; for a wrapper such as `npm` with its arguments. `undefined` if it is computed. */
  readonly script: string | undefined;
  readonly cwd: string | undefined;
  /** The ports that it is given, as written. */
  readonly ports: readonly string[];
}

const STRING = String.raw`"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\`(?:\\.|[^\`\\])*\``;
const COMMENT = new RegExp(String.raw`(${STRING})|/\*[\s\S]*?\*/|//[^\n]*`, "g");

export function stripComments(path: string, text: string): string {
  return isYamlFile(path)
    ? text.replaceAll(/(^|\s)#[^\n]*/g, "$1")
    : text.replaceAll(COMMENT, (_, string?: string) => string ?? " ");
}

/** PM2 names an app without a name after its script. */
export function parseApps(path: string, text: string): Pm2App[] {
  const isJson = path.endsWith(".json");
  if (isYamlFile(path) || isJson) {
    const apps = appsOfData(text);
    if (apps !== undefined || !isJson) return apps ?? [];
  }
  return scriptApps(text, isJson).map(appOfScript);
}

function appOfScript({ script, name, cwd, args, ports, hasHiddenName }: ScriptApp): Pm2App {
  const folder = pathOf(cwd);
  const rest = {
    folder: folder ?? folderOfScript(pathOf(script)),
    script: identityOf(script.text, args?.texts.join(" ")),
    cwd: folder,
    ports,
  };
  if (name !== undefined) return { name: name.text, source: name.source, ...rest };
  const own = hasHiddenName ? undefined : script.text;
  return { name: own === undefined ? undefined : scriptName(own), source: script.source, ...rest };
}

function scriptName(script: string): string {
  return baseName(script).replace(/(?<=.)\.[^.]*$/, "");
}

/** `npm run api` and `npm run worker` are two programs. */
const WRAPPER =
  /(?:^|\/)(?:npm|npx|pnpm|yarn|bun|bunx|node|tsx|ts-node|bash|sh|python3?|serve|next|nuxt|nest)(?:\.js)?$|\s/;

function identityOf(script: string | undefined, args: string | undefined): string | undefined {
  if (script === undefined) return undefined;
  return (WRAPPER.test(script) && args !== undefined ? `${script} ${args}` : script).replace(/^\.\//, "");
}

/** YAML and JSON need no guess. `undefined` for what only PM2 can read, such as JSON with comments. */
function appsOfData(text: string): Pm2App[] | undefined {
  const value = dataOf(text);
  if (typeof value !== "object" || value === null) return undefined;
  const list = isRecord(value) ? (value["apps"] ?? value["pm2"] ?? value) : value;
  return [list].flat().flatMap((app) => (isRecord(app) ? appOfData(app) : []));
}

function dataOf(text: string): unknown {
  try {
    return loadYaml(text);
  } catch (error) {
    if (error instanceof YamlSyntaxError) return undefined;
    throw error;
  }
}

function appOfData(app: Readonly<Record<string, unknown>>): Pm2App[] {
  const text = (...names: string[]): string | undefined =>
    names.map((name) => app[name]).find((value): value is string => typeof value === "string" && value !== "");
  const script = text("script", "cmd", "command", "exec");
  if (script === undefined) return [];
  const cwd = text("cwd")
    ?.replace(/^\.\//, "")
    .replace(/(?<=.)\/$/, "");
  const blocks = Object.entries(app).flatMap(([name, value]) =>
    /^env(?:_|$)/.test(name) && isRecord(value) ? [value] : [],
  );
  const ports = [app, ...blocks].flatMap((block) =>
    ["PORT", "port", "SVC_HTTP_PORT", "SVC_REST_PORT"].flatMap((name) =>
      typeof block[name] === "string" || typeof block[name] === "number" ? [String(block[name])] : [],
    ),
  );
  const name = text("name") ?? scriptName(script);
  const args = app["args"] === undefined ? undefined : [app["args"]].flat().map(String).join(" ");
  const inFolder = script.includes("/") && !script.includes(" ") ? folderOf(script).replace(/^\.\//, "") : undefined;
  return [
    {
      name,
      source: JSON.stringify(name),
      folder: cwd ?? (inFolder === "." ? undefined : inFolder),
      script: identityOf(script, args),
      cwd,
      ports: [...new Set(ports.filter((port) => /^\d+$/.test(port)))],
    },
  ];
}

/** `path.join(__dirname, "services", "orders")`, for example. */
function pathOf(expression: Written | undefined): string | undefined {
  if (expression?.source === "__dirname") return ".";
  const path = expression?.texts.join("/").replaceAll(/\/{2,}/g, "/");
  return path?.replace(/^\.\//, "").replace(/\/$/, "") || undefined;
}

function folderOfScript(script: string | undefined): string | undefined {
  return script?.includes("/") === true && !script.includes(" ") ? folderOf(script) : undefined;
}

function isYamlFile(path: string): boolean {
  return /\.ya?ml$/i.test(path);
}
