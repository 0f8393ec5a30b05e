import { baseName } from "../../words/path.ts";
import { isRecord } from "../../words/record.ts";
import { parseYaml } from "../../yaml/parse.ts";
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
/** A value up to the end of its member: strings, calls and identifiers. */
const VALUE = String.raw`((?:${STRING}|\([^()]*\)|[^,\n{}()"'\`])+)`;
const COMMENT = new RegExp(String.raw`(${STRING})|/\*[\s\S]*?\*/|//[^\n]*`, "g");
const HIDDEN_NAME = /\.\.\.|[{,\s]name\s*[,}]/;
const MAX_OBJECT_LENGTH = 10_000;

export function stripComments(path: string, text: string): string {
  return isYamlFile(path)
    ? text.replaceAll(/(^|\s)#[^\n]*/g, "$1")
    : text.replaceAll(COMMENT, (_, string?: string) => string ?? " ");
}

/** PM2 names an app without a name after its script. */
export function parseApps(path: string, text: string): Pm2App[] {
  const data = isYamlFile(path) || path.endsWith(".json") ? appsOfData(path, text) : undefined;
  if (data !== undefined) return data;
  const isYaml = isYamlFile(path);
  return [...text.matchAll(member("script|cmd|exec", "g"))].map(({ 1: written = "", index }) => {
    const part = isYaml ? itemAround(text, index) : objectAround(text, index);
    const source = member("name").exec(part)?.[1]?.trim() ?? "";
    const file = literalText(written.trim(), isYaml);
    const args = /(?:^|[{,\s])["']?args["']?\s*:\s*(\[[^\]]*\]|"[^"\n]*"|'[^'\n]*'|`[^`]*`)/.exec(part)?.[1];
    const ports = [...part.matchAll(/["']?\b(?:PORT|port|SVC_(?:HTTP|REST)_PORT)["']?\s*:\s*["']?(\d{2,5})\b/g)];
    const rest = {
      folder: folderIn(part, isYaml),
      script: identityOf(file, args?.replaceAll(/[\s"',[\]`]+/g, " ").trim()),
      cwd: pathIn(member("cwd").exec(part)?.[1], isYaml),
      ports: [...new Set(ports.map(([, port = ""]) => port))],
    };
    if (source !== "") return { name: literalText(source, isYaml), source, ...rest };
    const own = HIDDEN_NAME.test(part) ? undefined : file;
    return { name: own === undefined ? undefined : scriptName(own), source: written.trim(), ...rest };
  });
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
function appsOfData(path: string, text: string): Pm2App[] | undefined {
  const { value, issues } = parseYaml(text, path);
  if (issues.some(({ severity }) => severity === "error") || typeof value !== "object" || value === null)
    return undefined;
  const list = isRecord(value) ? (value["apps"] ?? value["pm2"] ?? value) : value;
  return [list].flat().flatMap((app) => (isRecord(app) ? appOfData(app) : []));
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

function member(name: string, flags = ""): RegExp {
  return new RegExp(String.raw`(?:^|[{,\s])["']?(?:${name})["']?\s*:[ \t]*${VALUE}`, flags);
}

function folderIn(part: string, isYaml: boolean): string | undefined {
  const cwd = pathIn(member("cwd").exec(part)?.[1], isYaml);
  if (cwd !== undefined) return cwd;
  const script = pathIn(member("script|cmd|exec").exec(part)?.[1], isYaml);
  return script?.includes("/") === true && !script.includes(" ") ? folderOf(script) : undefined;
}

/** `path.join(__dirname, "services", "orders")`, for example. */
function pathIn(expression: string | undefined, isYaml: boolean): string | undefined {
  const source = expression?.trim() ?? "";
  const texts = source.match(new RegExp(STRING, "g"))?.map((text) => text.slice(1, -1)) ?? (isYaml ? [source] : []);
  const path = texts
    .join("/")
    .replaceAll(/\$\{[^}]*\}/g, "")
    .replaceAll(/\/{2,}/g, "/");
  return source === "__dirname" ? "." : path.replace(/^\.\//, "").replace(/\/$/, "") || undefined;
}

function literalText(source: string, isYaml: boolean): string | undefined {
  const text = /^(["'`])([^"'`]*)\1$/.exec(source)?.[2] ?? (isYaml ? source : undefined);
  return text?.includes("${") === true ? undefined : text;
}

function objectAround(text: string, index: number): string {
  let [start, end] = [index, index + 1];
  for (let depth = 0; start > 0 && index - start < MAX_OBJECT_LENGTH; start -= 1) {
    if (text[start] === "}") depth += 1;
    if (text[start] === "{" && (depth -= 1) < 0) break;
  }
  for (let depth = 0; end < text.length && end - index < MAX_OBJECT_LENGTH; end += 1) {
    if (text[end] === "{") depth += 1;
    if (text[end] === "}" && (depth -= 1) < 0) break;
  }
  return text.slice(start, end);
}

function itemAround(text: string, index: number): string {
  const item = /^\s*-\s/gm;
  const starts = [...text.slice(0, index + 1).matchAll(item)];
  const start = starts.at(-1)?.index ?? 0;
  item.lastIndex = index + 1;
  return text.slice(start, item.exec(text)?.index);
}

function isYamlFile(path: string): boolean {
  return /\.ya?ml$/i.test(path);
}
