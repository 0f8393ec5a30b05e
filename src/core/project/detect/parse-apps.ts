import { baseName } from "../../words/path.ts";
import { folderOf } from "./survey.ts";

export interface Pm2App {
  readonly name: string | undefined;
  /** Equal expressions mean equal names. */
  readonly source: string;
  readonly folder: string | undefined;
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
  const isYaml = isYamlFile(path);
  return [...text.matchAll(member("script|cmd|exec", "g"))].map(({ 1: script = "", index }) => {
    const part = isYaml ? itemAround(text, index) : objectAround(text, index);
    const source = member("name").exec(part)?.[1]?.trim() ?? "";
    if (source !== "") return { name: literalText(source, isYaml), source, folder: folderIn(part, isYaml) };
    const file = HIDDEN_NAME.test(part) ? undefined : literalText(script.trim(), isYaml);
    const name = file === undefined ? undefined : baseName(file).replace(/(?<=.)\.[^.]*$/, "");
    return { name, source: script.trim(), folder: folderIn(part, isYaml) };
  });
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
