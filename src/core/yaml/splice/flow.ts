import { isPair } from "yaml";
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
} from "./tree.ts";
import { renderFlow, indentationAt, renderFlowMember, type Style, styleOf } from "./style.ts";

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
