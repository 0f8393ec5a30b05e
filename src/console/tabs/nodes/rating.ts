import type { NodesResponse } from "../../../core/api/node.ts";
import { pluralize } from "../../data/format.ts";

export type Node = NodesResponse["nodes"][number];

/** Most urgent first. */
export const levels = ["bad", "warning", "good"] as const;

export interface Rating {
  readonly level: (typeof levels)[number];
  readonly reasons: readonly string[];
}

export interface RatedNode extends Rating {
  readonly node: Node;
}

/** If a node is not online, only that counts, because its values are old. */
export function rateNode(node: Node, version: string | undefined): Rating {
  const bad = problemsOf(node);
  const reasons = [...bad, ...(node.state === "online" ? warningsOf(node, version) : [])];
  return { level: bad.length > 0 ? "bad" : reasons.length > 0 ? "warning" : "good", reasons };
}

function problemsOf({ state, reason, processes, troubles = [], release }: Node): string[] {
  if (state !== "online") return [reason ?? "It did not answer."];
  if (processes !== undefined && "error" in processes) return [`PM2 cannot be read: ${processes.error}`];
  return [
    ...troubles.map(({ app, details }) => `${app}: ${details}`),
    ...(release?.outcome === "half" ? ["The last release is half: some apps run the earlier version."] : []),
  ];
}

function warningsOf({ drift, release, svcm }: Node, version: string | undefined): string[] {
  const { missing, different, stale, undeclared } = drift ?? {};
  return [
    ...countApps(missing, "declared and not running"),
    ...countApps(different, "not as declared"),
    ...countApps(stale, "with an earlier value"),
    ...countApps(undeclared, "not declared"),
    ...(release?.outcome === "reverted" ? ["The last release was reverted."] : []),
    ...(svcm === undefined || version === undefined || svcm === version ? [] : [`svcm ${svcm}, here ${version}`]),
  ];
}

function countApps(count: number | undefined, words: string): string[] {
  return count ? [`${pluralize(count, "app")} ${words}`] : [];
}

/** Each word of the filter must be in the name, a label such as `role=api`, or the environment. */
export function matchesFilter({ name, labels, environment }: Node, filter: string): boolean {
  const texts = [name, environment ?? "", ...Object.entries(labels).map((pair) => pair.join("="))];
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => texts.some((text) => text.toLowerCase().includes(word)));
}
