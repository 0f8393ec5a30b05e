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
