import type { JSX } from "preact";
import { useContext, useEffect, useMemo } from "preact/hooks";
import { ConsoleContext, usePage } from "../../console.ts";
import { formatPercent, formatTime, pluralize, UNKNOWN } from "../../data/format.ts";
import { EmptyState, TabHead } from "../../ui/Card.tsx";
import { FilterField } from "../../ui/Field.tsx";
import { RequestProblem } from "../../ui/Problem.tsx";
import { useRequest } from "../../ui/use-request.ts";
import { VirtualTable } from "../../ui/VirtualTable.tsx";
import { formatLink } from "../../state/address.ts";
import type { NodesResponse } from "../../../core/api/node.ts";

const stateLabels: Readonly<Record<Node["state"], string>> = {
  online: "Online",
  silent: "No answer",
  refused: "Refused",
  away: "Away",
  undeclared: "Undeclared",
  duplicate: "Name taken twice",
};

const dots = { bad: "errored", warning: "troubled", good: "online" } as const;

const EVERY_MS = 2_000;
/** In rem, as in the style sheet. */
const ROW_HEIGHT = 3;

/** Problems come first. The list refreshes every two seconds. */
export function Nodes(): JSX.Element {
  const { api, server, nodeFilter: filter } = usePage();
  const isAlone = useContext(ConsoleContext)?.facts.nodes.length === 0;
  const { answer, last, problem, retry } = useRequest(isAlone ? undefined : (stop) => api.nodes(stop), [api, isAlone]);
  useEffect(() => {
    if (answer === undefined && problem === undefined) return undefined;
    const timer = setTimeout(retry, EVERY_MS);
    return () => clearTimeout(timer);
  }, [answer, problem]);
  const nodes = (answer ?? last)?.nodes;
  const version = server.version.value;
  const judged = useMemo(
    () => nodes?.map((node): RatedNode => ({ node, ...rateNode(node, version) })),
    [nodes, version],
  );
  return (
    <>
      <TabHead title="Nodes" about={judged && summaryOf(judged)}>
        <FilterField label="Filter the nodes" placeholder="Name or label=value" text={filter} />
      </TabHead>
      <RequestProblem problem={problem} retry={retry} />
      {isAlone && <EmptyState icon="nodes" title="svcm.yaml declares no nodes" />}
      {judged && (
        <Table judged={judged.filter(({ node }) => matchesFilter(node, filter.value))} isOld={problem !== undefined} />
      )}
    </>
  );
}

function summaryOf(judged: readonly RatedNode[]): string {
  const of = (wanted: RatedNode["level"]): number => judged.filter(({ level }) => level === wanted).length;
  return `${pluralize(judged.length, "node")} · ${of("bad")} in trouble · ${of("warning")} to look at · asked every 2\u00A0s`;
}

function Table({ judged, isOld }: { judged: readonly RatedNode[]; isOld: boolean }): JSX.Element {
  return (
    <div class={`card flush processes nodes${isOld ? " old" : ""}`}>
      <VirtualTable
        label="Nodes"
        head={<Head />}
        rows={judged.toSorted((a, b) => urgency(a) - urgency(b) || (a.node.name < b.node.name ? -1 : 1))}
        rowHeight={ROW_HEIGHT}
        empty="No node matches"
        keyOf={({ node }) => node.name}
        renderRow={(row, index, slot) => <NodeRow key={slot} {...row} index={index} />}
      />
    </div>
  );
}

function urgency({ level }: RatedNode): number {
  return levels.indexOf(level);
}

const heads = [
  ["State", "state"],
  ["Environment", "wide"],
  ["Processes", "number"],
  ["Restarts", "number wide"],
  ["CPU", "number wide"],
  ["Memory", "number wide"],
  ["Revision", "wide"],
  ["Versions", "wide widest"],
  ["Last seen", "wide"],
] as const;

function Head(): JSX.Element {
  return (
    <thead>
      <tr>
        <th scope="col">Node</th>
        {heads.map(([label, className]) => (
          <th key={label} scope="col" class={className}>
            {label}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function NodeRow({ node, level, reasons, index }: RatedNode & { readonly index: number }): JSX.Element {
  const { name, state, environment, services = [], host, lastSeen } = node;
  return (
    <tr class={state === "online" ? "" : "gone"} aria-rowindex={index}>
      <th scope="row">
        <a class="node-name" href={formatLink({ tab: "monitoring", parameters: [["node", name]] })} title={name}>
          {name}
        </a>
        <Labels labels={node.labels} />
        {reasons.length > 0 && (
          <p class="why" title={reasons.join("\n")}>
            {reasons.join(" · ")}
          </p>
        )}
      </th>
      <td class="state">
        <span class={`status ${dots[level]}`}>
          <i class={`dot ${dots[level]}`} aria-hidden="true" />
          {stateLabels[state]}
        </span>
      </td>
      <td class="wide">{[environment ?? UNKNOWN, ...services].join(" · ")}</td>
      <td class="number">{processesOf(node)}</td>
      <td class="number wide">{restartsOf(node)}</td>
      <td class="number wide">{formatPercent(host?.cpuPercent, 0)}</td>
      <td class="number wide">{formatPercent(host?.memoryPercent, 0)}</td>
      <td class="wide">{revisionOf(node)}</td>
      <td class="wide widest">{versionsOf(node)}</td>
      <td class="wide">{lastSeen === null ? "not yet" : formatTime(lastSeen).slice(state === "online" ? 11 : 5)}</td>
    </tr>
  );
}

function Labels({ labels }: Pick<Node, "labels">): JSX.Element {
  return (
    <span class="labels">
      {Object.entries(labels).map(([label, value]) => (
        <span key={label} class="badge">
          {label}={value}
        </span>
      ))}
    </span>
  );
}

function processesOf({ processes }: Node): string {
  return processes === undefined || "error" in processes ? UNKNOWN : `${processes.online} of ${processes.total}`;
}

function restartsOf({ processes }: Node): string | number {
  return processes === undefined || "error" in processes ? UNKNOWN : processes.restarts;
}

function revisionOf({ release }: Node): string {
  return release?.commit?.slice(0, 10) ?? release?.id ?? UNKNOWN;
}

function versionsOf({ svcm, pm2, nodejs }: Node): string {
  const known = [svcm && `svcm ${svcm}`, pm2 && `PM2 ${pm2}`, nodejs && `Node ${nodejs.replace(/^v/, "")}`];
  return known.filter(Boolean).join(" · ") || UNKNOWN;
}

type Node = NodesResponse["nodes"][number];

/** Most urgent first. */
const levels = ["bad", "warning", "good"] as const;

export interface Rating {
  readonly level: (typeof levels)[number];
  readonly reasons: readonly string[];
}

interface RatedNode extends Rating {
  readonly node: Node;
}

/** If a node is not online, only that counts, because its values are old. */
function rateNode(node: Node, version: string | undefined): Rating {
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
function matchesFilter({ name, labels, environment }: Node, filter: string): boolean {
  const texts = [name, environment ?? "", ...Object.entries(labels).map((pair) => pair.join("="))];
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => texts.some((text) => text.toLowerCase().includes(word)));
}
