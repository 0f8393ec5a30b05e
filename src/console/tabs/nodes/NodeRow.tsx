import type { JSX } from "preact";
import { formatPercent, formatTime, UNKNOWN } from "../../data/format.ts";
import { formatLink } from "../../state/address.ts";
import type { RatedNode, Node } from "./rating.ts";

const stateLabels: Readonly<Record<Node["state"], string>> = {
  online: "Online",
  silent: "No answer",
  away: "Away",
  undeclared: "Undeclared",
  duplicate: "Name taken twice",
};

const dots = { bad: "errored", warning: "troubled", good: "online" } as const;

export function NodeRow({ node, level, reasons, index }: RatedNode & { readonly index: number }): JSX.Element {
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
