import type { ListedNode } from "../../core/index.ts";
import { SvcmCommand } from "../base.ts";
import { deadlineFlag } from "../terminal/node-command.ts";
import { readDeadline } from "../terminal/numbers.ts";
import { printTable, type Column } from "../terminal/table.ts";
import { pluralize } from "../../core/words/text.ts";

export default class NodesList extends SvcmCommand {
  static override summary = "List the machines of the fleet, with their state.";
  static override description =
    "Asks every node that svcm.yaml declares under nats. A node that does not answer before the deadline is silent; one that is not connected is away, and one that does not accept the user refuses. If two machines want one name, the node is a duplicate.";
  static override examples = ["<%= config.bin %> nodes list", "<%= config.bin %> nodes list --deadline 2s --json"];
  static override flags = { deadline: deadlineFlag };

  async run() {
    const { flags } = await this.parse(NodesList);
    const deadlineMs = readDeadline(flags.deadline);
    const nodes = await this.withFleet((fleet, { listNodes }) => listNodes(fleet, deadlineMs));
    const online = nodes.filter(({ state }) => state === "online").length;
    if (online < nodes.length) this.setExitCode(1);
    const verdict = {
      text: `${online} of ${pluralize(nodes.length, "node")} online.`,
      tone: online < nodes.length ? "attention" : "good",
    } as const;
    printTable(this, COLUMNS, nodes, undefined, verdict);
    for (const { name, state, reason } of nodes)
      if (reason !== undefined && state !== "away") this.logToStderr(`${name} is ${state}: ${reason}`);
    return { nodes };
  }
}

const COLUMNS: readonly Column<ListedNode>[] = [
  { heading: "NODE", cell: ({ name }) => name },
  {
    heading: "STATE",
    cell: ({ state }) => state,
    colour: ({ state }, { green, red }) => (state === "online" ? green : red),
  },
  { heading: "LABELS", cell: ({ labels }) => labelsText(labels), shorten: "end", dropPriority: 3 },
  { heading: "PROCESSES", cell: processesText },
  {
    heading: "RELEASE",
    cell: ({ release }) => release?.commit?.slice(0, 10) ?? release?.id ?? "-",
    dropPriority: 2,
  },
  { heading: "SVCM", cell: ({ svcm }) => svcm ?? "-", dropPriority: 1 },
  { heading: "PM2", cell: ({ pm2 }) => pm2 ?? "-", dropPriority: 1 },
];

function labelsText(labels: ListedNode["labels"]): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}

function processesText({ processes }: ListedNode): string {
  if (processes === undefined) return "-";
  if ("error" in processes) return processes.code ?? processes.error;
  const { online, total, troubled } = processes;
  return `${online} of ${total} online${troubled === 0 ? "" : `, ${troubled} in trouble`}`;
}
