import { SvcmError } from "../api/errors.ts";

export interface LabelledNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * In the order of `nodes`. A selector is `all`, a name, or labels such as `role=api,region=eu`, which must all match.
 * @throws {SvcmError} INVALID_REQUEST with the code NODE_UNKNOWN
 */
export function selectNodes<Node extends LabelledNode>(nodes: readonly Node[], selectors: readonly string[]): Node[] {
  const selected = selectors.map((selector) => {
    const found = nodes.filter((node) => matches(node, selector));
    if (found.length > 0) return found;
    throw new SvcmError("INVALID_REQUEST", {
      code: "NODE_UNKNOWN",
      details: `No node matches ${JSON.stringify(selector.slice(0, 80))}. Accepted: ${selectorsOf(nodes).join(", ")}.`,
    });
  });
  return [...new Set(selected.flat())];
}

export function selectorsOf(nodes: readonly LabelledNode[]): string[] {
  const labels = nodes.flatMap((node) => Object.entries(node.labels).map(([name, value]) => `${name}=${value}`));
  return ["all", ...nodes.map(({ name }) => name), ...new Set(labels)];
}

function matches({ name, labels }: LabelledNode, selector: string): boolean {
  if (selector === "all" || selector === name) return true;
  const terms = selector.split(",").map((term) => /^([^=]+)=(.*)$/.exec(term.trim()));
  return terms.every((term) => {
    const [, label = "", value] = term ?? [];
    return Object.hasOwn(labels, label) && labels[label] === value;
  });
}
