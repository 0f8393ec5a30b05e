import { isPair, isMap, isScalar, stringify, type Scalar } from "yaml";
import { UneditableYaml } from "./change.ts";
import {
  lineBreakAt,
  lineStart,
  nextLine,
  removeLines,
  restOfLine,
  type Splice,
  type Collection,
  endOf,
  isCollection,
  isFlow,
  type Member,
  memberEnd,
  startOf,
  type Tree,
  afterColon,
  membersOf,
} from "./tree.ts";
import { isFilled } from "../write.ts";

export interface NewItem {
  readonly key?: string;
  readonly value: unknown;
}

export function insertItem(tree: Tree, into: Collection, index: number, addition: NewItem): Splice[] {
  const { text } = tree;
  const before = into.items[index];
  if (before === undefined) return fillEmpty(tree, into, addition);
  const start = startOf(before);
  const end = itemEnd(tree, before);
  const isOnOwnLine = text.slice(lineStart(text, start), start).trim() === "";
  const rendered = renderLike(tree, into, addition);
  if (!isOnOwnLine) return [{ start: end, end, text: `${rendered.comma}${rendered.text}` }];
  const line = `${lineBreakAt(text, start)}${indentationAt(text, start)}${rendered.text}`;
  const comma = afterComma(text, end);
  const rest = restOfLine(text, comma ?? end);
  if (!/^[ \t]*#/.test(rest)) return [{ start: end, end, text: `,${line}` }];
  const lineEnd = (comma ?? end) + rest.length;
  const insertion = { start: lineEnd, end: lineEnd, text: comma === undefined ? line : `${line},` };
  return comma === undefined ? [{ start: end, end, text: "," }, insertion] : [insertion];
}

export function prependItem(tree: Tree, into: Collection, addition: NewItem): Splice[] {
  if (into.items.length === 0) return fillEmpty(tree, into, addition);
  const { text } = tree;
  const start = startOf(into.items[0]);
  const isOnOwnLine = text.slice(lineStart(text, start), start).trim() === "";
  const rendered = renderLike(tree, into, addition);
  const gap = isOnOwnLine ? `,${lineBreakAt(text, start)}${indentationAt(text, start)}` : rendered.comma;
  return [{ start, end: start, text: rendered.text + gap }];
}

export function deleteItem(tree: Tree, from: Collection, index: number): Splice[] {
  const { text } = tree;
  const [before, item, next] = [from.items[index - 1], from.items[index], from.items[index + 1]];
  if (item === undefined) throw new UneditableYaml("there is no such entry");
  if (from.items.length === 1) return deleteOnly(tree, from, item);
  const [start, end] = [startOf(item), itemEnd(tree, item)];
  const comma = afterComma(text, end);
  const begin = lineStart(text, start);
  const hasLines = text.slice(begin, start).trim() === "" && /^[ \t]*(?:#.*)?$/.test(restOfLine(text, comma ?? end));
  if (!hasLines)
    return [
      next === undefined ? { start: itemEnd(tree, before), end, text: "" } : { start, end: startOf(next), text: "" },
    ];
  const lines = removeLines(text, begin, nextLine(text, comma ?? end));
  if (comma !== undefined) return [lines];
  const last = itemEnd(tree, before);
  const lastComma = afterComma(text, last) ?? last;
  return [{ start: Math.max(last, lastComma - 1), end: lastComma, text: "" }, lines];
}

function deleteOnly({ text, ...tree }: Tree, from: Collection, item: unknown): Splice[] {
  const [open, close] = from.range ?? [0, 0];
  const around = text.slice(open, startOf(item)) + text.slice(itemEnd({ text, ...tree }, item), close);
  if (around.includes("#")) throw new UneditableYaml("a comment is beside the only entry");
  return [{ start: open + 1, end: close - 1, text: "" }];
}

function fillEmpty(tree: Tree, into: Collection, { key, value }: NewItem): Splice[] {
  const [start, end] = into.range ?? [0, 0];
  if (tree.text.slice(start, end).includes("#")) throw new UneditableYaml("a comment is inside the empty brackets");
  const isMultiline = tree.isJson && /\S\r?\n\s*\S/.test(tree.text);
  const lineBreak = lineBreakAt(tree.text, start);
  const style = { ...styleOf(tree, into, lineBreak), ...jsonQuotes(tree), isMultiline, lineBreak };
  const collection = key === undefined ? [value] : { [key]: value };
  return [{ start, end, text: renderFlow(collection, style, indentationAt(tree.text, start)) }];
}

function renderLike(tree: Tree, into: Collection, { key, value }: NewItem): { text: string; comma: string } {
  const { text } = tree;
  const last = into.items.at(-1);
  const lineBreak = lineBreakAt(text, startOf(last));
  const own = { ...styleOf(tree, into, lineBreak), ...jsonQuotes(tree) };
  if (key !== undefined)
    return { text: renderFlowMember(key, value, own, indentationAt(text, startOf(last))), comma: own.comma };
  const comma = separatorOf(tree, into);
  if (!isCollection(last) || !isFlow(last)) return { text: renderFlow(value, own, ""), comma };
  const indent = indentationAt(text, (last.range?.[1] ?? 1) - 1);
  const inner = indentationAt(text, startOf(last.items[0]));
  const isDeeper = inner.length > indent.length && inner.startsWith(indent);
  const style = { ...styleOf(tree, last, lineBreak), ...jsonQuotes(tree) };
  return { text: renderFlow(value, isDeeper ? { ...style, unit: inner.slice(indent.length) } : style, indent), comma };
}

function jsonQuotes({ isJson }: Tree): Partial<Style> {
  return isJson ? { keyQuote: "QUOTE_DOUBLE", valueQuote: "QUOTE_DOUBLE" } : {};
}

function separatorOf(tree: Tree, { items }: Collection): string {
  const [before, last] = items.slice(-2);
  if (last === undefined) return ", ";
  const between = tree.text.slice(itemEnd(tree, before), startOf(last));
  return between === "," ? "," : ", ";
}

function itemEnd(tree: Tree, item: unknown): number {
  return isPair(item) ? memberEnd(tree, item as Member) : endOf(tree, item as Member["value"], startOf(item));
}

function afterComma(text: string, position: number): number | undefined {
  const gap = /^(?:\s|#[^\n]*\n)*,/.exec(text.slice(position, position + 4096))?.[0];
  return gap === undefined ? undefined : position + gap.length;
}

export type Quote = "PLAIN" | "QUOTE_DOUBLE" | "QUOTE_SINGLE";

export interface Style {
  readonly isJson: boolean;
  readonly keyQuote: Quote;
  readonly valueQuote: Quote;
  readonly unit: string;
  readonly padding: string;
  readonly colon: string;
  readonly comma: string;
  readonly isMultiline: boolean;
  readonly lineBreak: string;
}

export function styleOf(tree: Tree, like: Collection | undefined, lineBreak: string): Style {
  const { isJson, text } = tree;
  const members = isMap(like) ? membersOf(like) : [];
  const values = members
    .map(({ value }) => value)
    .filter((value) => isScalar(value) && typeof value.value === "string");
  const quotes = new Set(values.map((value) => quoteOf(value as Scalar)));
  const isQuoted = quotes.size === 1 && values.length > 1;
  return {
    isJson,
    keyQuote: members[0] ? quoteOf(members[0].key) : "PLAIN",
    valueQuote: isQuoted ? ([...quotes][0] ?? "PLAIN") : "PLAIN",
    unit: /^( {1,8}|\t)[^\s#]/m.exec(text)?.[1] ?? "  ",
    lineBreak,
    ...flowStyle(tree, like),
  };
}

/** Quotes a text as requested, and also if YAML 1.2 or 1.1 would not read it as text. */
export function renderScalar(value: unknown, quote: Quote, { isJson }: Pick<Style, "isJson">): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  if (isJson || (typeof value === "string" && /[\u0000-\u001F\u007F-\u009F\u2028\u2029\uFEFF]/.test(value)))
    return JSON.stringify(value);
  const options = { collectionStyle: "flow", flowCollectionPadding: false, lineWidth: 0, compat: "yaml-1.1" } as const;
  return stringify([value], { ...options, defaultStringType: quote })
    .trim()
    .slice(1, -1);
}

export function blockLines(value: object, style: Style): string[] {
  return Object.entries(value).flatMap(([key, member]) => memberLines(key, member, style));
}

export function memberLines(key: string, value: unknown, style: Style): string[] {
  const head = `${renderScalar(key, style.keyQuote, style)}:`;
  if (!isFilled(value)) return [`${head} ${renderFlow(value, { ...style, isMultiline: false }, "")}`];
  const lines = Array.isArray(value) ? value.flatMap((item) => itemLines(item, style)) : blockLines(value, style);
  return [head, ...lines.map((line) => style.unit + line)];
}

export function itemLines(value: unknown, style: Style, gap = " "): string[] {
  const lines = isFilled(value)
    ? Array.isArray(value)
      ? value.flatMap((item) => itemLines(item, style))
      : blockLines(value, style)
    : [renderFlow(value, { ...style, isMultiline: false }, "")];
  return lines.map((line, index) => (index === 0 ? `-${gap}${line}` : ` ${gap.replaceAll(/\S/g, " ")}${line}`));
}

export function renderFlow(value: unknown, style: Style, indent: string): string {
  if (typeof value !== "object" || value === null) return renderScalar(value, style.valueQuote, style);
  const inner = indent + style.unit;
  const items = Array.isArray(value)
    ? value.map((item) => renderFlow(item, style, inner))
    : Object.entries(value).map(([key, item]) => renderFlowMember(key, item, style, inner));
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (items.length === 0) return open + close;
  if (!style.isMultiline) return open + style.padding + items.join(style.comma) + style.padding + close;
  const { lineBreak } = style;
  return `${open}${lineBreak}${inner}${items.join(`,${lineBreak}${inner}`)}${lineBreak}${indent}${close}`;
}

export function renderFlowMember(key: string, value: unknown, style: Style, indent: string): string {
  return renderScalar(key, style.keyQuote, style) + style.colon + renderFlow(value, style, indent);
}

export function quoteOf({ type }: Scalar): Quote {
  return type === "QUOTE_DOUBLE" || type === "QUOTE_SINGLE" ? type : "PLAIN";
}

type FlowStyle = Pick<Style, "padding" | "colon" | "comma" | "isMultiline">;

function flowStyle(tree: Tree, like: Collection | undefined): FlowStyle {
  const usual = { padding: tree.isJson ? "" : " ", colon: ": ", comma: ", ", isMultiline: false };
  if (!like?.flow || !like.range) return usual;
  const [open, end] = like.range;
  const isMultiline = tree.text.slice(open, end).includes("\n");
  if (like.items.length === 0) return { ...usual, isMultiline: isMultiline };
  const padding = /^[ \t]*(?=\S)/.exec(tree.text.slice(open + 1))?.[0] ?? usual.padding;
  return { ...usual, padding, isMultiline: isMultiline, ...(isMap(like) && separators(tree, membersOf(like))) };
}

function separators({ text, ...tree }: Tree, [member, next]: readonly Member[]): Partial<FlowStyle> {
  const value = member?.value;
  const colon = member && value && text.slice(afterColon(member) - 1, startOf(value)) === ":" ? ":" : ": ";
  if (!member || !next) return { colon, comma: colon === ":" ? "," : ", " };
  const between = text.slice(memberEnd({ text, ...tree }, member), startOf(next));
  return { colon, comma: between === "," ? "," : ", " };
}

export function indentationAt(text: string, position: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, position)))?.[0] ?? "";
}

export function columnAt(text: string, position: number): string {
  return text.slice(lineStart(text, position), position).replaceAll(/\S/g, " ");
}
