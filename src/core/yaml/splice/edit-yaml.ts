import { parseYaml } from "../parse.ts";
import type { Path } from "../source.ts";
import { applyChanges, type Change, sortDeletesLast, UneditableYaml, pathText } from "./change.ts";
import type { LineChange } from "../../words/text.ts";
import {
  lineChanges,
  applySplices,
  insertLines,
  lineBreakAt,
  nextLine,
  type Splice,
  isJsonText,
  parseTree,
  afterColon,
  type Collection,
  endOf,
  hasColon,
  isCollection,
  isFlow,
  type Member,
  findMember,
  membersOf,
  nodeAt,
  nodesOf,
  startOf,
  type Tree,
} from "./tree.ts";
import { type Alias, isMap, isScalar, isSeq, type Node, type YAMLMap } from "yaml";
import * as block from "./block.ts";
import * as flow from "./flow.ts";
import { renderFlow, indentationAt, type Quote, quoteOf, renderScalar, type Style, styleOf } from "./flow.ts";

export interface YamlEdit {
  readonly text: string;
  readonly changes: readonly LineChange[];
}

export interface YamlText {
  readonly text: string;
  readonly value: unknown;
  /** The result must be JSON, even if the text is still empty. */
  readonly isJson: boolean;
}

const BYTE_ORDER_MARK = "\uFEFF";

/**
 * Keeps every other line byte for byte. New text follows the style of its neighbours. The result is parsed again and
 * compared with the expected data. @throws {UneditableYaml}
 */
export function editYaml({ text, value, isJson }: YamlText, changes: readonly Change[]): YamlEdit {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
  const body = text.slice(mark.length);
  const expected = applyChanges(value, changes);
  if (isEqual(expected, value ?? {})) return { text, changes: [] };
  const before = parseTree(body, isJson);
  const isExpected = (next: string | undefined): next is string =>
    next !== undefined && isEqual(parseYaml(next, "").value, expected) && (!before.isJson || isJsonText(next));

  const splices = changes.flatMap((change) => planSplices(before, change));
  const atOnce = applySplices(body, splices);
  if (isExpected(atOnce)) return { text: mark + atOnce, changes: lineChanges(body, splices) };
  const inTurn = applyOneByOne(body, before.isJson, changes);
  if (isExpected(inTurn))
    return { text: mark + inTurn, changes: lineChanges(body, [{ start: 0, end: body.length, text: inTurn }]) };
  throw new UneditableYaml("svcm cannot safely change lines written in this way");
}

function applyOneByOne(text: string, isJson: boolean, changes: readonly Change[]): string | undefined {
  let next: string | undefined = text;
  for (const change of sortDeletesLast(changes)) {
    const tree = parseTree(next, isJson);
    next = applySplices(next, planSplices(tree, change));
    if (next === undefined) return undefined;
  }
  return next;
}

function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every(
    (key) => Object.hasOwn(b, key) && isEqual((a as never)[key] as unknown, (b as never)[key] as unknown),
  );
}

/** @throws {UneditableYaml} with the reason */
function planSplices(tree: Tree, change: Change): Splice[] {
  const { path } = change;
  const exists = nodeAt(tree, path) !== undefined;
  if (change.kind === "append") {
    refuseShared(tree, exists ? path : path.slice(0, -1), false);
    return append(tree, path, change.value);
  }
  refuseShared(tree, exists ? path : path.slice(0, -1), exists);
  if (change.kind === "delete") return remove(tree, path);
  if (change.kind === "rename") return rename(tree, path, change.to, change.value);
  if (change.kind === "set") return set(tree, path, change.value, change.order ?? []);
  return isEmptyRoot(tree.root) ? set(tree, path, change.value, []) : prepend(tree, change.path[0], change.value);
}

function set(tree: Tree, path: Path, value: unknown, order: readonly string[]): Splice[] {
  const key = String(path.at(-1));
  if (path.length === 1 && isEmptyRoot(tree.root)) return startDocument(tree, key, value);
  const map = mapAt(tree, path.slice(0, -1));
  const member = findMember(map, key);
  if (member) return replaceValue(tree, member, value, isFlow(map));
  const index = insertionIndex(map, key, order);
  return isFlow(map)
    ? flow.insertItem(tree, map, index, { key, value })
    : block.insertMember(tree, map, index, key, value);
}

function prepend(tree: Tree, key: string, value: unknown): Splice[] {
  const map = mapAt(tree, []);
  return isFlow(map) ? flow.prependItem(tree, map, { key, value }) : block.prependMember(tree, map, key, value);
}

function rename(tree: Tree, path: Path, to: string, value: unknown): Splice[] {
  const map = mapAt(tree, path.slice(0, -1));
  const member = findMember(map, String(path.at(-1)));
  if (!member) throw new UneditableYaml(`${pathText(path)} is not there`);
  const start = startOf(member);
  const text = renderScalar(to, quoteOf(member.key), tree);
  const key = { start, end: member.key.range?.[1] ?? start, text };
  const isSameValue = isScalar(member.value) && member.value.value === value;
  return isSameValue ? [key] : [key, ...replaceValue(tree, member, value, isFlow(map))];
}

function remove(tree: Tree, path: Path): Splice[] {
  const key = path.at(-1) ?? 0;
  const from = nodeAt(tree, path.slice(0, -1));
  if (isMap(from)) {
    const index = membersOf(from).findIndex((member) => member.key.value === key);
    return isFlow(from) ? flow.deleteItem(tree, from, index) : block.deleteMember(tree, from, index);
  }
  if (!isSeq(from) || typeof key !== "number") throw new UneditableYaml(`${pathText(path)} is not there`);
  if (isFlow(from)) return flow.deleteItem(tree, from, key);
  if (from.items.length > 1) return block.deleteItem(tree, from, key);
  return block.emptyList(tree, memberAt(tree, path.slice(0, -1)), from);
}

function append(tree: Tree, path: Path, value: object): Splice[] {
  const list = nodeAt(tree, path);
  if (list === undefined) return set(tree, path, [value], []);
  if (isSeq(list) && list.items.length > 0)
    return isFlow(list)
      ? flow.insertItem(tree, list, list.items.length - 1, { value })
      : block.appendItem(tree, list, value);
  const map = mapAt(tree, path.slice(0, -1));
  if (!isFlow(map)) return block.fillList(tree, memberAt(tree, path), value);
  if (isSeq(list)) return flow.insertItem(tree, list, -1, { value });
  return replaceValue(tree, memberAt(tree, path), [value], true);
}

function startDocument(tree: Tree, key: string, value: unknown): Splice[] {
  const { text, root, isJson } = tree;
  const lineBreak = lineBreakAt(text, 0);
  const style = { ...styleOf(tree, undefined, lineBreak), padding: "", isMultiline: true };
  const [start, end] = isCollection(root) ? (root.range ?? [0, 0]) : [text.length, text.length];
  if (text.slice(start, end).includes("#")) throw new UneditableYaml("a comment is inside the empty brackets");
  const lines = isJson ? [renderFlow({ [key]: value }, style, "")] : block.newMemberLines(tree, null, key, value);
  if (!isCollection(root)) return [insertLines(text, text.length, lines)];
  const hasLineBreak = nextLine(text, end) > end;
  return [{ start, end, text: lines.join(lineBreak) + (hasLineBreak ? "" : lineBreak) }];
}

function replaceValue(tree: Tree, member: Member, value: unknown, isInFlow: boolean): Splice[] {
  const { text } = tree;
  const style = styleOf(tree, undefined, lineBreakAt(text, startOf(member)));
  const old = member.value;
  const [start, end] = [old?.range?.[0] ?? 0, endOf(tree, old, afterColon(member))];
  const rendered = renderFlow(
    value,
    { ...style, valueQuote: quoteFor(old, tree) },
    indentationAt(text, startOf(member)),
  );
  if (end <= afterColon(member)) {
    const colon = afterColon(member);
    return [{ start: colon, end: colon, text: `${hasColon(member) ? "" : ":"} ${rendered}` }];
  }
  const isBlock = isCollection(old) && !isFlow(old);
  if (isBlock && (isInFlow || text.slice(afterColon(member), end).includes("#")))
    throw new UneditableYaml("the replaced lines contain comments");
  return isBlock ? [{ start: afterColon(member), end, text: ` ${rendered}` }] : [{ start, end, text: rendered }];
}

function quoteFor(old: Node | null, { isJson }: Pick<Style, "isJson">): Quote {
  if (isJson) return "QUOTE_DOUBLE";
  return isScalar(old) && typeof old.value === "string" ? quoteOf(old) : "PLAIN";
}

function insertionIndex(map: YAMLMap, key: string, order: readonly string[]): number {
  const earlier = order.slice(0, Math.max(0, order.indexOf(key)));
  const keys = membersOf(map).map((member) => member.key.value);
  const places = earlier.map((other) => keys.indexOf(other)).filter((index) => index !== -1);
  return places.length === 0 ? keys.length - 1 : Math.max(...places);
}

function mapAt(tree: Tree, path: Path): YAMLMap {
  const node = nodeAt(tree, path);
  if (isMap(node)) return node;
  throw new UneditableYaml(`${pathText(path)} is not a map`);
}

function memberAt(tree: Tree, path: Path): Member {
  const member = findMember(mapAt(tree, path.slice(0, -1)), String(path.at(-1)));
  if (member) return member;
  throw new UneditableYaml(`${pathText(path)} is not there`);
}

function isEmptyRoot(root: Collection | Node | null): boolean {
  return (
    root === null || (isScalar(root) && root.value === null) || (isMap(root) && isFlow(root) && root.items.length === 0)
  );
}

/**
 * Refuses a change to a node that an alias repeats elsewhere.
 * @param isReplaced the change removes the node and every anchor inside it
 * @throws {UneditableYaml}
 */
function refuseShared(tree: Tree, path: Path, isReplaced: boolean): void {
  const { aliases } = tree;
  if (aliases.length === 0) return;
  for (let length = 0; length <= path.length; length++) {
    const node = nodeAt(tree, path.slice(0, length));
    if (node) refuseRepeated(tree, aliases, node, pathText(path.slice(0, length)));
  }
  if (!isReplaced) return;
  const inside = new Set(nodesOf(nodeAt(tree, path)));
  const outside = aliases.filter((alias) => !inside.has(alias));
  for (const node of inside) refuseRepeated(tree, outside, node, pathText(path));
}

function refuseRepeated(tree: Tree, aliases: readonly Alias[], node: Node, where: string): void {
  const anchor = "anchor" in node ? node.anchor : undefined;
  const alias = aliases.find(({ source }) => source === anchor);
  if (anchor === undefined || !alias) return;
  const line = tree.text.slice(0, alias.range?.[0]).split("\n").length;
  throw new UneditableYaml(`${where} holds the anchor &${anchor}, which line ${line} repeats as *${anchor}`);
}
