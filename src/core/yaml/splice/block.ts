import { isRecord } from "../../words/record.ts";
import { isMap, isSeq, type Node, type YAMLMap, type YAMLSeq } from "yaml";
import { UneditableYaml } from "./change.ts";
import {
  insertLines,
  lineBreakAt,
  lineStart,
  nextLine,
  removeLines,
  restOfLine,
  type Splice,
  afterColon,
  type Collection,
  dashOffset,
  endOf,
  isCollection,
  isFlow,
  type Member,
  memberEnd,
  membersOf,
  startOf,
  type Tree,
} from "./tree.ts";
import {
  columnAt,
  renderFlow,
  renderFlowMember,
  indentationAt,
  itemLines,
  memberLines,
  type Style,
  styleOf,
} from "./flow.ts";

export function insertMember(tree: Tree, map: YAMLMap, index: number, key: string, value: unknown): Splice[] {
  const before = membersOf(map)[index];
  if (!before) throw new UneditableYaml("an empty map in block style");
  const indent = columnAt(tree.text, startOf(before));
  const end = endWithComments(tree.text, memberEnd(tree, before), indent.length);
  const like = before.value;
  const isOneLine = isMap(like) && isFlow(like) && isRecord(value);
  const added = isOneLine
    ? [renderFlowMember(key, value, { ...styleOf(tree, like, "\n"), isMultiline: false }, "")]
    : newMemberLines(tree, map, key, value);
  const lines = added.map((line) => indent + line);
  const isSection = map === tree.root && typeof value === "object" && areSpaced(tree, map);
  return [insertLines(tree.text, end, isSection ? ["", ...lines] : lines)];
}

/** Indented as other lists in the document. */
export function newMemberLines(tree: Tree, map: YAMLMap | null, key: string, value: unknown): string[] {
  const style = styleOf(tree, map ?? undefined, "\n");
  if (!Array.isArray(value) || value.length === 0) return memberLines(key, value, style);
  const [head = ""] = memberLines(key, value, style);
  return [head, ...value.flatMap((item) => itemLines(item, style)).map((line) => listIndent(tree, style) + line)];
}

export function prependMember(tree: Tree, map: YAMLMap, key: string, value: unknown): Splice[] {
  const start = startOf(map.items[0]);
  const [line = ""] = memberLines(key, value, styleOf(tree, map, "\n"));
  return [{ start, end: start, text: line + lineBreakAt(tree.text, start) + columnAt(tree.text, start) }];
}

export function deleteMember(tree: Tree, map: YAMLMap, index: number): Splice[] {
  const { text } = tree;
  const member = membersOf(map)[index];
  if (!member || map.items.length === 1) throw new UneditableYaml("the map would be left empty");
  const start = startOf(member);
  const column = columnAt(text, start).length;
  const end = nextLine(text, endWithComments(text, memberEnd(tree, member), column));
  const begin = lineStart(text, start);
  if (text.slice(begin, start).trim() === "") return [removeLines(text, begin, end)];
  // The member follows the dash of its entry, so the next member takes its position.
  const next = end + (/^\s*/.exec(text.slice(end))?.[0].length ?? 0);
  return [{ start, end: next, text: "" }];
}

export function appendItem(tree: Tree, list: YAMLSeq, value: object): Splice[] {
  const { text } = tree;
  const index = list.items.length - 1;
  const last = list.items[index] as Node;
  const dash = dashOffset(list, index);
  const indent = columnAt(text, dash);
  const end = endWithComments(text, endOf(tree, last, dash + 1), indent.length);
  const lines = entryLines(tree, last, gapAfter(text, dash), value).map((line) => indent + line);
  return [insertLines(text, end, isSpaced(tree, list, index) ? ["", ...lines] : lines)];
}

export function deleteItem(tree: Tree, list: YAMLSeq, index: number): Splice[] {
  const { text } = tree;
  const dash = dashOffset(list, index);
  const begin = lineStart(text, dash);
  if (text.slice(begin, dash).trim() !== "") throw new UneditableYaml("the entry shares its line with another one");
  const end = nextLine(text, endWithComments(text, endOf(tree, list.items[index] as Node, dash + 1), dash - begin));
  const isLast = index === list.items.length - 1;
  const above = blankLineAbove(text, begin);
  const isBlankBelow = end < text.length && restOfLine(text, end).trim() === "";
  if (above !== undefined && (isLast || isBlankBelow)) return [removeLines(text, above, end)];
  return [removeLines(text, begin, index === 0 && isBlankBelow ? nextLine(text, end) : end)];
}

export function fillList(tree: Tree, member: Member, value: object): Splice[] {
  const { text } = tree;
  const colon = afterColon(member);
  const end = endOf(tree, member.value, colon);
  if (text.slice(colon, end).includes("#")) throw new UneditableYaml("a comment is inside the empty list");
  const style = styleOf(tree, undefined, "\n");
  const indent = columnAt(text, startOf(member)) + listIndent(tree, style);
  const lines = itemLines(value, style).map((line) => indent + line);
  const inserted = insertLines(text, end, lines);
  return end === colon ? [inserted] : [{ start: colon, end, text: "" }, inserted];
}

export function emptyList(tree: Tree, member: Member, list: YAMLSeq): Splice[] {
  const { text } = tree;
  const [colon, begin] = [afterColon(member), lineStart(text, dashOffset(list, 0))];
  if (begin <= colon) throw new UneditableYaml("the list begins on the line of its key");
  const column = dashOffset(list, 0) - begin;
  const end = nextLine(text, endWithComments(text, endOf(tree, list, colon), column));
  return [{ start: colon, end: colon, text: " []" }, removeLines(text, begin, end)];
}

function entryLines(tree: Tree, like: Node, gap: string, value: object): string[] {
  const collection = isCollection(like) ? like : undefined;
  if (!collection || !isFlow(collection)) return itemLines(value, styleOf(tree, collection, "\n"), gap);
  const indent = " ".repeat(gap.length + 1);
  return `-${gap}${renderFlow(value, { ...styleOf(tree, collection, "\n"), ...indentLike(tree, collection) }, indent)}`.split(
    "\n",
  );
}

function indentLike({ text }: Tree, { range, items }: Collection): Partial<Style> {
  const [outer, inner] = [indentationAt(text, (range?.[1] ?? 1) - 1), indentationAt(text, startOf(items[0]))];
  return inner.length > outer.length ? { unit: " ".repeat(inner.length - outer.length) } : {};
}

function listIndent({ text, root }: Tree, { unit }: Style): string {
  for (const { key, value } of isMap(root) ? membersOf(root) : []) {
    if (isSeq(value) && !isFlow(value) && value.items.length > 0)
      return " ".repeat(Math.max(0, columnAt(text, dashOffset(value, 0)).length - columnAt(text, startOf(key)).length));
  }
  // A dash cannot be indented by tabs.
  return unit.includes("\t") ? "  " : unit;
}

function gapAfter(text: string, dash: number): string {
  const gap = /^[ \t]*(?=[^\s#])/.exec(restOfLine(text, dash + 1))?.[0];
  return gap === undefined || gap === "" ? " " : gap;
}

/** Comment lines that are indented more than a column belong to the content above. */
function endWithComments(text: string, position: number, column: number): number {
  let end = position;
  for (let next = nextLine(text, end); next < text.length; next = nextLine(text, next)) {
    const indent = /^( *)#/.exec(restOfLine(text, next))?.[1];
    if (indent === undefined || indent.length <= column) return end;
    end = next;
  }
  return end;
}

function isSpaced(tree: Tree, list: YAMLSeq, index: number): boolean {
  if (index === 0) return false;
  const start = endOf(tree, list.items[index - 1] as Node, dashOffset(list, index - 1) + 1);
  return hasBlankLine(tree.text.slice(start, dashOffset(list, index)));
}

function areSpaced(tree: Tree, map: YAMLMap): boolean {
  const [before, last] = membersOf(map).slice(-2);
  return (
    before !== undefined && last !== undefined && hasBlankLine(tree.text.slice(memberEnd(tree, before), startOf(last)))
  );
}

function hasBlankLine(text: string): boolean {
  return /\n[ \t]*\r?\n/.test(text);
}

function blankLineAbove(text: string, begin: number): number | undefined {
  if (begin === 0) return undefined;
  const above = lineStart(text, begin - 1);
  return text.slice(above, begin).trim() === "" ? above : undefined;
}
