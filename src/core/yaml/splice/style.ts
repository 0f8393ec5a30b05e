import { isMap, isScalar, stringify, type Scalar } from "yaml";
import { isFilled } from "../write.ts";
import {
  lineStart,
  afterColon,
  type Collection,
  type Member,
  memberEnd,
  membersOf,
  startOf,
  type Tree,
} from "./tree.ts";

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
