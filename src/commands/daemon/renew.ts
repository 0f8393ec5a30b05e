import * as Flags from "@oclif/core/flags";
import { daemonRenew, type DaemonRenewResponse } from "../../core/index.ts";
import { pluralize } from "../../core/words/text.ts";
import { SvcmCommand } from "../base.ts";

export default class DaemonRenew extends SvcmCommand {
  static override summary = "Move all apps to a new daemon, with the installed PM2 and the present Node.js.";
  static override description =
    "Starts the new daemon beside the old one and moves app by app. Each app ends in the old daemon and starts in the new one; the next one follows when it is online. A stopped app stays stopped, and no job runs. At the end the list is compared with the one before, field by field; only then the old daemon ends. If systemd started the daemon, its unit is written for the new Node.js and restarted instead; for a unit of the system, this needs root. If an app fails, everything returns to the old daemon. Ids, restart counters and start times are lost. Refused before anything is touched if it must fail. After it was cut off, the next run goes on.";
  static override examples = [
    "<%= config.bin %> daemon renew",
    "<%= config.bin %> daemon renew --node /usr/local/bin/node",
    "<%= config.bin %> daemon renew --return",
  ];
  static override flags = {
    node: Flags.string({
      summary: "Node.js of the new daemon and of each app whose interpreter is node; the one of svcm by default.",
      helpValue: "<path>",
    }),
    return: Flags.boolean({ summary: "Return to the old daemon after a renewal was cut off.", default: false }),
  };

  async run() {
    const { flags } = await this.parse(DaemonRenew);
    const { node, return: goBack } = flags;
    const response = await this.execute(daemonRenew, { goBack, ...(node !== undefined && { node }) });
    if (response.processes.some(({ outcome }) => outcome === "failed")) this.setExitCode(1);
    this.log(render(response));
    return response;
  }
}

function render({ state, before, after, unit, goesOnSince, processes }: DaemonRenewResponse): string {
  const started = processes.filter(({ outcome }) => outcome === "started").length;
  const resting = new Set(processes.filter(({ outcome }) => outcome === "at rest").map(({ name }) => name));
  const failed = processes.filter(({ outcome }) => outcome === "failed");
  const versions = ({ pm2, node }: typeof before): string => `PM2 ${pm2 ?? "unknown"} and Node.js ${node ?? "unknown"}`;
  const head =
    state === "renewed"
      ? `Renewed PM2's daemon, pid ${after.pid}: ${versions(after)}. Before: ${versions(before)}.`
      : `Returned to PM2's former daemon, pid ${after.pid}: ${versions(after)}.`;
  return [
    head,
    ...(unit === null ? [] : [`systemd restarted ${unit.name}, which starts the daemon.`]),
    ...(unit === null || unit.replaced.length === 0
      ? []
      : [`It replaces ${unit.replaced.join(", ")}, which svcm boot disable enables again.`]),
    ...(goesOnSince === null ? [] : [`This finished a renewal that was cut off; it began at ${goesOnSince}.`]),
    `${pluralize(started, "process", "processes")} started.`,
    ...(resting.size === 0 ? [] : [`Not started, because they were stopped or are jobs: ${[...resting].join(", ")}.`]),
    ...failed.map(({ name, reason }) => `  ${name} failed: ${reason}.`),
    "Ids, restart counters and start times start again. The list is saved.",
  ].join("\n");
}
