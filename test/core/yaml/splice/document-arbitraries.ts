/** Generators of documents: block, flow and JSON, comments, line breaks, unusual indentation. */
import fc from "fast-check";

export type Entry = Record<string, unknown>;

const word = fc.oneof(
  fc.stringMatching(/^[a-z][a-z0-9+. -]{0,10}[a-z0-9]$/),
  fc.constantFrom(
    "yes",
    "0777",
    "1.10",
    "on",
    "",
    "a: b",
    "x #y",
    "[z",
    "it's",
    'say "hi"',
    "é",
    "null",
    "-",
    "ends:",
    "\\",
    "*a",
  ),
);
export const key = fc.constantFrom("name", "region", "runtime", "serviceType", "owner", "no", "x-y");
const leaf = fc.oneof({ weight: 6, arbitrary: word }, fc.integer(), fc.boolean(), fc.constant(null));
const inner = fc.oneof(
  { weight: 8, arbitrary: leaf },
  fc.array(leaf, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom("rest", "grpc", "k"), leaf, { maxKeys: 2, noNullPrototype: true }),
);
export const value = inner;
export const entry: fc.Arbitrary<Entry> = fc.dictionary(key, inner, { minKeys: 1, maxKeys: 5, noNullPrototype: true });

/** The style of a document; `dice` decides the details. */
interface Hand {
  readonly unit: string;
  readonly dashIndent: string;
  readonly gap: string;
  readonly dice: (sides: number) => number;
}

const hand = fc.record({
  unit: fc.constantFrom("  ", "    ", " ", "   "),
  dashIndent: fc.constantFrom("", "  ", "    ", " "),
  gap: fc.constantFrom(" ", "   "),
  rolls: fc.array(fc.nat(1000), { minLength: 12, maxLength: 12 }),
});

export interface WrittenDocument {
  readonly text: string;
  readonly isJson: boolean;
}

const sections = fc.record(
  { interfaces: fc.array(entry, { maxLength: 2 }), deployments: fc.array(entry, { maxLength: 4 }), extra: inner },
  { requiredKeys: [] },
);

const yamlDocument = fc
  .tuple(sections, hand, fc.constantFrom("\n", "\r\n"), fc.boolean(), fc.boolean())
  .map(([document, { rolls, ...style }, lineBreak, hasEnd, hasMark]) => {
    let roll = 0;
    const dice = (sides: number): number => (rolls[roll++ % rolls.length] ?? 0) % sides;
    const lines = blockMap({ version: "service-management.v1", ...document }, { ...style, dice });
    const text = lines.join("\n").replaceAll("\n", lineBreak) + (hasEnd ? lineBreak : "");
    return { text: (hasMark ? "\uFEFF" : "") + text, isJson: false };
  });

const jsonDocument = fc
  .tuple(sections, fc.constantFrom(undefined, 2, 4, "\t"), fc.constantFrom("", "\n"), fc.constantFrom("\n", "\r\n"))
  .map(([document, indent, end, lineBreak]) => {
    const json = JSON.stringify({ version: "service-management.v1", ...document }, null, indent);
    return { text: (json + end).replaceAll("\n", lineBreak), isJson: true };
  });

export const document: fc.Arbitrary<WrittenDocument> = fc.oneof({ weight: 3, arbitrary: yamlDocument }, jsonDocument);

function blockMap(map: Entry, style: Hand): string[] {
  return Object.entries(map).flatMap(([name, member]) => [...above(style), ...blockMember(name, member, style)]);
}

function blockMember(name: string, member: unknown, style: Hand): string[] {
  const head = `${quoted(name, style)}:`;
  if (typeof member !== "object" || member === null || Object.keys(member).length === 0 || style.dice(4) === 0) {
    if (member === null && style.dice(2) === 0) return [`${head}${behind(style)}`];
    return written(`${head} ${flow(member, style)}`, style);
  }
  if (!Array.isArray(member))
    return [head + behind(style), ...blockMap(member as Entry, style).map((line) => style.unit + line)];
  const items = member.flatMap((item) => [...above(style), ...blockItem(item, style)]);
  return [head + behind(style), ...items.map((line) => style.dashIndent + line)];
}

function blockItem(item: unknown, style: Hand): string[] {
  const isBlock = typeof item === "object" && item !== null && !Array.isArray(item) && Object.keys(item).length > 0;
  if (!isBlock || style.dice(4) === 0) return written(`-${style.gap}${flow(item, style)}`, style);
  const lines = blockMap(item as Entry, { ...style, dashIndent: style.dashIndent });
  const first = lines.findIndex((line) => line !== "" && !line.trimStart().startsWith("#"));
  const [head = "", ...rest] = lines.slice(first);
  return [`-${style.gap}${head}`, ...rest.map((line) => " ".repeat(style.gap.length + 1) + line)];
}

function flow(item: unknown, style: Hand): string {
  if (typeof item !== "object" || item === null) return quoted(item, style);
  const pad = style.dice(2) === 0 ? " " : "";
  const items = Array.isArray(item)
    ? item.map((child) => flow(child, style))
    : Object.entries(item).map(([name, child]) => `${quoted(name, style)}: ${flow(child, style)}`);
  const [open, close] = Array.isArray(item) ? ["[", "]"] : ["{", "}"];
  if (items.length === 0) return open + close;
  const comma = style.dice(5) === 0 ? "," : "";
  return `${open}${pad}${items.join(", ")}${comma}${pad}${close}`;
}

function quoted(scalar: unknown, { dice }: Hand): string {
  if (typeof scalar !== "string") return String(scalar);
  const isPlain = /^[a-z][a-zA-Z0-9+.-]*$/.test(scalar) && !/^(?:yes|no|on|off|null|true|false|y|n)$/.test(scalar);
  const kind = dice(4);
  if (isPlain && kind > 1) return scalar;
  return kind === 0 ? `'${scalar.replaceAll("'", "''")}'` : JSON.stringify(scalar);
}

function written(line: string, style: Hand): string[] {
  return [line + behind(style)];
}

function behind({ dice }: Hand): string {
  return dice(6) === 0 ? " # behind" : "";
}

function above({ dice }: Hand): string[] {
  const side = dice(9);
  if (side === 0) return [""];
  return side === 1 ? ["# above, it's a [comment"] : [];
}
