import type { Alias, Node } from "yaml";
import { name, type Path, UneditableYaml } from "./change.ts";
import { nodeAt, nodesOf, type Tree } from "./tree.ts";

/**
 * Refuses a change to a node that an alias repeats elsewhere.
 * @param isReplaced the change removes the node and every anchor inside
 * @throws {UneditableYaml}
 */
export function refuseShared(tree: Tree, path: Path, isReplaced: boolean): void {
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
