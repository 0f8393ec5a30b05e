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
  return `${(isFilled(value) ? renderLines(value) : [renderScalar(value)]).join("\n")}\n`;
}

function renderLines(value: object): string[] {
  if (Array.isArray(value)) return value.flatMap(itemLines);
  return Object.entries(value).flatMap(([key, member]: [string, unknown]) => memberLines(key, member));
}

function memberLines(key: string, value: unknown): string[] {
  const head = `${renderScalar(key)}:`;
  return isFilled(value)
    ? [head, ...renderLines(value).map((line) => INDENT + line)]
    : [`${head} ${renderScalar(value)}`];
}

function itemLines(value: unknown): string[] {
  const lines = isFilled(value) ? renderLines(value) : [renderScalar(value)];
  return lines.map((line, index) => (index === 0 ? `- ${line}` : INDENT + line));
}

export function renderScalar(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value) ?? "null";
  if (PLAIN.test(value) && !WORD.test(value) && yaml11Kind(value) === undefined) return value;
  return JSON.stringify(value).replaceAll(RARE, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

export function isFilled(value: unknown): value is object {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

/** No date or number in practice is longer. */
const MAX_LENGTH = 40;

const YAML_1_1_FORMS = [
  [/^(?:y|yes|n|no|on|off)$/i, "a boolean"],
  [/^\d{4}-\d\d?-\d\d?(?:(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?)?$/, "a date"],
  [/^[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?$/, "a number"],
  [/^[-+]?(?:0b[01_]+|0x[\da-f_]+|\d[\d_]*_[\d_]*(?:\.[\d_]*)?)$/i, "a number"],
] as const;

export function yaml11Kind(source: string): string | undefined {
  if (source.length > MAX_LENGTH) return undefined;
  return YAML_1_1_FORMS.find(([form]) => form.test(source))?.[1];
}
