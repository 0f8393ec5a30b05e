import {
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  parseAllDocuments,
  type Alias,
  type CST,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { PARSE_OPTIONS } from "../parse.ts";
import type { Path } from "../source.ts";
import { pathText, UneditableYaml } from "./change.ts";
import { diffLines, type LineChange } from "../../words/text.ts";

export type Member = Pair<Scalar<string>, Node | null>;
export type Collection = YAMLMap | YAMLSeq;

export interface Tree {
  readonly text: string;
  readonly root: Node | null;
  readonly aliases: readonly Alias[];
  readonly isJson: boolean;
}

/** @param isJson from the name of the file, because an empty text and `{}` do not show it */
export function parseTree(text: string, isJson: boolean): Tree {
  const documents = parseAllDocuments(text, { ...PARSE_OPTIONS, keepSourceTokens: true });
  const [document] = Array.isArray(documents) ? documents : [];
  const root = document?.contents ?? null;
  const aliases = text.includes("*") ? [...nodesOf(root)].filter((node) => isAlias(node)) : [];
  return { text, root, aliases, isJson: isJson || (/^\s*\{\s*"/.test(text) && isJsonText(text)) };
}

export function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** @throws {UneditableYaml} if the path leads through an alias */
export function nodeAt(tree: Tree, path: Path): Node | null | undefined {
  let node: Node | null | undefined = tree.root;
  for (const [index, step] of path.entries()) {
    if (isAlias(node))
      throw new UneditableYaml(`${pathText(path.slice(0, index))} is *${node.source}, a copy of &${node.source}`);
    node = isMap(node) ? findMember(node, step)?.value : findItem(node, step);
  }
  return node;
}

function findItem(node: Node | null | undefined, step: string | number): Node | null | undefined {
  return isSeq(node) && typeof step === "number" ? (node.items[step] as Node | undefined) : undefined;
}

export function findMember(map: YAMLMap, key: string | number): Member | undefined {
  return membersOf(map).find((member) => member.key.value === key);
}

export function membersOf(map: YAMLMap): Member[] {
  return map.items as Member[];
}

/** The end of a node, before the line break, white space and comments after it. */
export function endOf(tree: Tree, node: Node | null, empty: number): number {
  if (isCollection(node) && !isFlow(node)) {
    if (isMap(node)) return memberEnd(tree, membersOf(node).at(-1) as Member);
    return endOf(tree, node.items.at(-1) as Node, dashOffset(node, node.items.length - 1) + 1);
  }
  const [start, end] = node?.range ?? [empty, empty];
  if (start === end && !isAlias(node)) return empty;
  // The range of a block scalar includes its final line break.
  if (!isScalar(node) || tree.text[end - 1] !== "\n") return end;
  return tree.text[end - 2] === "\r" ? end - 2 : end - 1;
}

export function memberEnd(tree: Tree, member: Member): number {
  return endOf(tree, member.value, afterColon(member));
}

/** In `{ a, b }`, behind the key. */
export function afterColon({ key, srcToken }: Member): number {
  const colon = srcToken?.sep?.find(({ type }) => type === "map-value-ind");
  return colon ? colon.offset + 1 : (key.range?.[1] ?? 0);
}

export function hasColon({ srcToken }: Member): boolean {
  return srcToken?.sep?.some(({ type }) => type === "map-value-ind") === true;
}

export function dashOffset(list: YAMLSeq, index: number): number {
  const { items } = list.srcToken as CST.BlockSequence;
  const dashes = items.flatMap(({ start }) => start.filter(({ type }) => type === "seq-item-ind"));
  return dashes[index]?.offset ?? 0;
}

export function startOf(item: unknown): number {
  const node = isPair(item) ? item.key : item;
  return (node as Node).range?.[0] ?? 0;
}

export function isCollection(node: unknown): node is Collection {
  return isMap(node) || isSeq(node);
}

export function isFlow(collection: Collection): boolean {
  return collection.flow === true;
}

export function* nodesOf(node: unknown): Generator<Node> {
  if (isPair(node)) {
    yield* nodesOf(node.key);
    yield* nodesOf(node.value);
  } else if (node !== null && node !== undefined) {
    yield node as Node;
    if (isCollection(node)) for (const item of node.items) yield* nodesOf(item);
  }
}

/** Replaces a range of a text. An insertion has an empty range. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Returns `undefined` if two splices overlap. Splices at the same offset keep their order. */
export function applySplices(text: string, splices: readonly Splice[]): string | undefined {
  const parts: string[] = [];
  let position = 0;
  for (const { start, end, text: replacement } of sortByStart(splices)) {
    if (start < position) return undefined;
    parts.push(text.slice(position, start), replacement);
    position = end;
  }
  return parts.join("") + text.slice(position);
}

export function lineChanges(text: string, splices: readonly Splice[]): LineChange[] {
  const groups: Splice[][] = [];
  for (const splice of sortByStart(splices)) {
    const last = groups.at(-1);
    if (last && lineStart(text, splice.start) <= groupEnd(text, last)) last.push(splice);
    else groups.push([splice]);
  }
  let line = 1;
  let counted = 0;
  return groups.flatMap((group) => {
    const start = lineStart(text, group[0]?.start ?? 0);
    const end = groupEnd(text, group);
    const moved = group.map((splice) => ({ ...splice, start: splice.start - start, end: splice.end - start }));
    const before = text.slice(start, end);
    line += text.slice(counted, start).split("\n").length - 1;
    counted = start;
    return diffLines(line, splitLines(before), splitLines(applySplices(before, moved) ?? "")) ?? [];
  });
}

/** A splice of whole lines does not affect the neighbouring lines. */
function groupEnd(text: string, group: readonly Splice[]): number {
  const { start, end, text: added } = group.at(-1) ?? { start: 0, end: 0, text: "" };
  const replacesLines = lineStart(text, start) === start && lineStart(text, end) === end && /(?:^|\n)$/.test(added);
  return replacesLines ? end : nextLine(text, end);
}

export function lineStart(text: string, position: number): number {
  return position === 0 ? 0 : text.lastIndexOf("\n", position - 1) + 1;
}

export function nextLine(text: string, position: number): number {
  const end = text.indexOf("\n", position);
  return end === -1 ? text.length : end + 1;
}

export function restOfLine(text: string, position: number): string {
  return text.slice(position, nextLine(text, position)).replace(/\r?\n$/, "");
}

/** For the last line, the line break used in the document. */
export function lineBreakAt(text: string, position: number): string {
  const end = text.indexOf("\n", position);
  const found = end === -1 ? text.indexOf("\n") : end;
  return found > 0 && text[found - 1] === "\r" ? "\r\n" : "\n";
}

export function insertLines(text: string, position: number, lines: readonly string[]): Splice {
  const start = nextLine(text, position);
  const lineBreak = lineBreakAt(text, position);
  const joined = lines.join(lineBreak);
  const isAtLineStart = start === 0 || text[start - 1] === "\n";
  return { start, end: start, text: isAtLineStart ? joined + lineBreak : lineBreak + joined };
}

export function removeLines(text: string, start: number, end: number): Splice {
  const isLast = end === text.length && text[end - 1] !== "\n";
  const before = text.slice(0, start);
  // Otherwise a blank line above would become a final line break.
  return { start: isLast ? before.replace(/(?:\r?\n[ \t]*)+$/, "").length : start, end, text: "" };
}

function sortByStart(splices: readonly Splice[]): Splice[] {
  return splices.toSorted((a, b) => a.start - b.start);
}

function splitLines(text: string): string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}
