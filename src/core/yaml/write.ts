import { kindElsewhere } from "./elsewhere.ts";

/** Every YAML reader reads this as text. */
const PLAIN = /^(?:\.\.\/)*\.?[A-Za-z_/][\w./+@-]*(?: [\w(][\w./+@()-]*)*$/;
/** Words that the core schema of YAML 1.2 reads as something else. */
const WORD = /^(?:null|true|false|\.inf|\.nan)$/i;
const RARE = /[\u007F-\u009F\u2028\u2029\uFEFF]/g;
const INDENT = "  ";

/**
 * Writes block style with a final line break. YAML 1.2 and 1.1 read the same values, because ambiguous text is quoted.
 */
export function writeYaml(value: unknown): string {
  return `${(isFilled(value) ? linesOf(value) : [scalarText(value)]).join("\n")}\n`;
}

function linesOf(value: object): string[] {
  if (Array.isArray(value)) return value.flatMap(itemLines);
  return Object.entries(value).flatMap(([key, member]: [string, unknown]) => memberLines(key, member));
}

function memberLines(key: string, value: unknown): string[] {
  const head = `${scalarText(key)}:`;
  return isFilled(value) ? [head, ...linesOf(value).map((line) => INDENT + line)] : [`${head} ${scalarText(value)}`];
}

function itemLines(value: unknown): string[] {
  const lines = isFilled(value) ? linesOf(value) : [scalarText(value)];
  return lines.map((line, index) => (index === 0 ? `- ${line}` : INDENT + line));
}

export function scalarText(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value) ?? "null";
  if (PLAIN.test(value) && !WORD.test(value) && kindElsewhere(value) === undefined) return value;
  return JSON.stringify(value).replaceAll(RARE, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function isFilled(value: unknown): value is object {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}
