import { isPm2Name } from "../../pm2/pm2-names.ts";
import { baseName } from "../../words/text.ts";
import { isRecord } from "../../words/record.ts";
import { YamlSyntaxError, loadYaml } from "../../yaml/load.ts";
import { folderOf, joinPath } from "./survey.ts";
import { parse, type AnyNode, type Expression, type ObjectExpression, type Options } from "acorn";

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

/**
 * By its name, or by its content: PM2 reads every `.config.js` as such a file, so a team may call one `main.config.js`
 * and start it by hand.
 */
export function mayDeclareApps(path: string, text: string): boolean {
  if (isPm2Name(baseName(path))) return true;
  if (!/\.config\.[cm]?js$/i.test(path) || !/\bapps\b/.test(text)) return false;
  const code = stripComments(path, text);
  const isList = /\bapps\b["']?\s*[:=,}]/.test(code) && /\b(?:script|cmd|exec)["']?\s*:\s*["'`]/.test(code);
  return isList && parseApps(path, text).length > 0;
}

/** The modules that it names by relative paths, from the root. */
export function pathsRead(path: string, source: string): string[] {
  const named = stripComments(path, source).matchAll(/\b(?:require\s*\(|import\s*\(|from)\s*["'`](\.[^"'`]*)["'`]/g);
  return [...named].map(([, relative = ""]) => joinPath(folderOf(path), relative));
}

/** PM2 names an app without a name after its script. */
export function parseApps(path: string, text: string): Pm2App[] {
  const isJson = /\.json[5c]?$/i.test(path);
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

/** The apps of an ecosystem file that is a program: read from its syntax tree, not run. */

/** An object literal with a script. */
interface ScriptApp {
  readonly script: Written;
  readonly name: Written | undefined;
  readonly cwd: Written | undefined;
  readonly args: Written | undefined;
  readonly ports: readonly string[];
  /** Its name may be in a spread object or in a variable `name`. */
  readonly hasHiddenName: boolean;
}

/** An expression. */
interface Written {
  readonly source: string;
  /** The strings in it, in their order, without what a template computes. */
  readonly texts: readonly string[];
  /** The value, if it is a string and nothing else. */
  readonly text: string | undefined;
}

const OPTIONS: Options = {
  ecmaVersion: "latest",
  allowHashBang: true,
  allowReturnOutsideFunction: true,
  allowAwaitOutsideFunction: true,
};
const SCRIPTS = ["script", "cmd", "exec"];
const PORT = /^(?:PORT|port|SVC_(?:HTTP|REST)_PORT)$/;

/** Returns no app if the text is not a program. JSON with comments is an expression. */
function scriptApps(text: string, isJson: boolean): ScriptApp[] {
  const source = isJson ? `(${text}\n)` : text;
  const tree = parseProgram(source);
  return tree === undefined ? [] : [...objectsIn(tree)].flatMap((object) => appOf(object, source) ?? []);
}

function parseProgram(source: string): AnyNode | undefined {
  for (const sourceType of ["script", "module"] as const) {
    try {
      return parse(source, { ...OPTIONS, sourceType });
    } catch (error) {
      // A RangeError ends a text that is nested too deeply.
      if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    }
  }
  return undefined;
}

function appOf(object: ObjectExpression, source: string): ScriptApp | undefined {
  const values = new Map<string, Expression>();
  let hasHiddenName = false;
  for (const property of object.properties) {
    if (property.type === "SpreadElement") hasHiddenName = true;
    else if (property.shorthand && keyOf(property.key) === "name") hasHiddenName = true;
    else if (!property.computed) values.set(keyOf(property.key) ?? "", property.value);
  }
  const written = (name: string): Written | undefined => {
    const value = values.get(name);
    return value && writtenOf(value, source);
  };
  const script = SCRIPTS.map(written).find((value) => value !== undefined);
  if (script === undefined) return undefined;
  const own = { name: written("name"), cwd: written("cwd"), args: written("args") };
  return { script, ...own, ports: portsIn(object), hasHiddenName };
}

function writtenOf(value: Expression, source: string): Written {
  const texts = [...nodesIn(value)].flatMap((node) =>
    node.type === "Literal" && typeof node.value === "string"
      ? [node.value]
      : node.type === "TemplateElement"
        ? [node.value.cooked ?? ""]
        : [],
  );
  const isText =
    (value.type === "Literal" && typeof value.value === "string") ||
    (value.type === "TemplateLiteral" && value.expressions.length === 0);
  return { source: source.slice(value.start, value.end), texts, text: isText ? texts[0] : undefined };
}

function portsIn(object: ObjectExpression): string[] {
  const found = [...nodesIn(object)].flatMap((node) =>
    node.type === "Property" && PORT.test(keyOf(node.key) ?? "") && node.value.type === "Literal"
      ? [String(node.value.value)]
      : [],
  );
  return [...new Set(found.filter((port) => /^\d{2,5}$/.test(port)))];
}

function keyOf(key: AnyNode): string | undefined {
  if (key.type === "Identifier") return key.name;
  return key.type === "Literal" ? String(key.value) : undefined;
}

function* objectsIn(tree: AnyNode): Generator<ObjectExpression> {
  for (const node of nodesIn(tree)) if (node.type === "ObjectExpression") yield node;
}

/** In the order of the text. */
function* nodesIn(root: AnyNode): Generator<AnyNode> {
  const open = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    yield node;
    open.push(...(Object.values(node) as unknown[]).flat().filter(isNode).toReversed());
  }
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
