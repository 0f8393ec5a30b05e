import { type Alias, isMap, isScalar, isSeq, type Node, type YAMLMap } from "yaml";
import * as block from "./block.ts";
import { type Change, name, type Path, UneditableYaml } from "./change.ts";
import * as flow from "./flow.ts";
import { insertedLines, lineBreakAt, nextLine, type Splice } from "./lines.ts";
import { flowText, indentationAt, type Quote, quoteOf, scalarText, type Style, styleOf } from "./style.ts";
import {
  behindColon,
  type Collection,
  endOf,
  hasColon,
  isCollection,
  isFlow,
  type Member,
  memberOf,
  membersOf,
  nodeAt,
  nodesOf,
  startOf,
  type Tree,
} from "./tree.ts";

/** @throws {UneditableYaml} with the reason */
export function splicesOf(tree: Tree, change: Change): Splice[] {
  const { path } = change;
  const isThere = nodeAt(tree, path) !== undefined;
  if (change.kind === "append") {
    refuseShared(tree, isThere ? path : path.slice(0, -1), false);
    return append(tree, path, change.value);
  }
  refuseShared(tree, isThere ? path : path.slice(0, -1), isThere);
  if (change.kind === "delete") return remove(tree, path);
  if (change.kind === "rename") return rename(tree, path, change.to, change.value);
  if (change.kind === "set") return set(tree, path, change.value, change.order ?? []);
  return isEmpty(tree.root) ? set(tree, path, change.value, []) : lead(tree, change.path[0], change.value);
}

function set(tree: Tree, path: Path, value: unknown, order: readonly string[]): Splice[] {
  const key = String(path.at(-1));
  if (path.length === 1 && isEmpty(tree.root)) return begin(tree, key, value);
  const map = mapAt(tree, path.slice(0, -1));
  const member = memberOf(map, key);
  if (member) return replaceValue(tree, member, value, isFlow(map));
  const index = placeIn(map, key, order);
  return isFlow(map)
    ? flow.insertItem(tree, map, index, { key, value })
    : block.insertMember(tree, map, index, key, value);
}

function lead(tree: Tree, key: string, value: unknown): Splice[] {
  const map = mapAt(tree, []);
  return isFlow(map) ? flow.leadItem(tree, map, { key, value }) : block.leadMember(tree, map, key, value);
}

function rename(tree: Tree, path: Path, to: string, value: unknown): Splice[] {
  const map = mapAt(tree, path.slice(0, -1));
  const member = memberOf(map, String(path.at(-1)));
  if (!member) throw new UneditableYaml(`${name(path)} is not there`);
  const start = startOf(member);
  const text = scalarText(to, quoteOf(member.key), tree);
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
  if (!isSeq(from) || typeof key !== "number") throw new UneditableYaml(`${name(path)} is not there`);
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

function begin(tree: Tree, key: string, value: unknown): Splice[] {
  const { text, root, isJson } = tree;
  const lineBreak = lineBreakAt(text, 0);
  const style = { ...styleOf(tree, undefined, lineBreak), padding: "", isSpread: true };
  const [start, end] = isCollection(root) ? (root.range ?? [0, 0]) : [text.length, text.length];
  if (text.slice(start, end).includes("#")) throw new UneditableYaml("a comment is inside the empty brackets");
  const written = isJson ? [flowText({ [key]: value }, style, "")] : block.newMemberLines(tree, null, key, value);
  if (!isCollection(root)) return [insertedLines(text, text.length, written)];
  const isWhole = nextLine(text, end) > end;
  return [{ start, end, text: written.join(lineBreak) + (isWhole ? "" : lineBreak) }];
}

function replaceValue(tree: Tree, member: Member, value: unknown, isInFlow: boolean): Splice[] {
  const { text } = tree;
  const style = styleOf(tree, undefined, lineBreakAt(text, startOf(member)));
  const old = member.value;
  const [start, end] = [old?.range?.[0] ?? 0, endOf(tree, old, behindColon(member))];
  const written = flowText(value, { ...style, valueQuote: quoteLike(old, tree) }, indentationAt(text, startOf(member)));
  if (end <= behindColon(member)) {
    const colon = behindColon(member);
    return [{ start: colon, end: colon, text: `${hasColon(member) ? "" : ":"} ${written}` }];
  }
  const isBlock = isCollection(old) && !isFlow(old);
  if (isBlock && (isInFlow || text.slice(behindColon(member), end).includes("#")))
    throw new UneditableYaml("the replaced lines contain comments");
  return isBlock ? [{ start: behindColon(member), end, text: ` ${written}` }] : [{ start, end, text: written }];
}

function quoteLike(old: Node | null, { isJson }: Pick<Style, "isJson">): Quote {
  if (isJson) return "QUOTE_DOUBLE";
  return isScalar(old) && typeof old.value === "string" ? quoteOf(old) : "PLAIN";
}

function placeIn(map: YAMLMap, key: string, order: readonly string[]): number {
  const earlier = order.slice(0, Math.max(0, order.indexOf(key)));
  const keys = membersOf(map).map((member) => member.key.value);
  const places = earlier.map((other) => keys.indexOf(other)).filter((index) => index !== -1);
  return places.length === 0 ? keys.length - 1 : Math.max(...places);
}

function mapAt(tree: Tree, path: Path): YAMLMap {
  const node = nodeAt(tree, path);
  if (isMap(node)) return node;
  throw new UneditableYaml(`${name(path)} is not a map`);
}

function memberAt(tree: Tree, path: Path): Member {
  const member = memberOf(mapAt(tree, path.slice(0, -1)), String(path.at(-1)));
  if (member) return member;
  throw new UneditableYaml(`${name(path)} is not there`);
}

function isEmpty(root: Collection | Node | null): boolean {
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
    if (node) refuseRepeated(tree, aliases, node, name(path.slice(0, length)));
  }
  if (!isReplaced) return;
  const inside = new Set(nodesOf(nodeAt(tree, path)));
  const outside = aliases.filter((alias) => !inside.has(alias));
  for (const node of inside) refuseRepeated(tree, outside, node, name(path));
}

function refuseRepeated(tree: Tree, aliases: readonly Alias[], node: Node, where: string): void {
  const anchor = "anchor" in node ? node.anchor : undefined;
  const alias = aliases.find(({ source }) => source === anchor);
  if (anchor === undefined || !alias) return;
  const line = tree.text.slice(0, alias.range?.[0]).split("\n").length;
  throw new UneditableYaml(`${where} holds the anchor &${anchor}, which line ${line} repeats as *${anchor}`);
}
