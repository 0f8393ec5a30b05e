import { bytesText, logsUsage, type LogUsage, type LogUsageResponse } from "../../core/index.ts";
import { SvcmCommand } from "../base.ts";
import { formatBytes } from "../terminal/numbers.ts";
import type { Screen } from "../terminal/screen.ts";
import { renderTable, type Column } from "../terminal/table.ts";

export default class LogsUsage extends SvcmCommand {
  static override summary = "Show how large PM2's logs are, how fast they grow, and what rotates them.";
  static override description =
    "Lists the logs of all apps, of PM2 itself, and of apps that PM2 no longer lists, with their rotated files. Growth needs two looks at least a minute apart, for example by svcm serve. Reads no line. A log of an app named usage: svcm logs -- usage.";
  static override examples = ["<%= config.bin %> logs usage", "<%= config.bin %> logs usage --json"];

  async run() {
    await this.parse(LogsUsage);
    const usage = await this.execute(logsUsage, {});
    this.print((screen) => renderUsage(usage, screen));
    return usage;
  }
}

function renderUsage({ pm2Home, logs, disks, deleted, issues }: LogUsageResponse, screen: Screen): string {
  if (logs.length === 0) return "PM2 has no logs yet.";
  const columns: readonly Column<LogUsage>[] = [
    { heading: "LOG", cell: ({ path }) => shortPath(path, pm2Home), shorten: "middle" },
    { heading: "SIZE", cell: ({ bytes }) => formatBytes(bytes), side: "right" },
    { heading: "GROWTH", cell: ({ bytesPerHour }) => growthText(bytesPerHour), side: "right" },
    { heading: "ROTATED", cell: rotatedText, side: "right", dropPriority: 1 },
    { heading: "BY", cell: rotatorText },
  ];
  const lines = disks.map((disk) => diskText(disk));
  const lost = deleted.map(
    ({ path, pid, bytes }) => `Deleted, but written by pid ${pid}: ${path} (${bytesText(bytes)})`,
  );
  const problems = logs.flatMap(({ problem }) => (problem === null ? [] : [`Not opened: ${problem.details}`]));
  const found = issues.map(({ severity, message, code }) => `${severity}: ${message} (${code})`);
  const parts = [renderTable(columns, logs, screen), [...lost, ...problems].join("\n"), found.join("\n")];
  return [lines.join("\n"), ...parts].filter((part) => part !== "").join("\n\n");
}

function shortPath(path: string, home: string): string {
  return path.startsWith(`${home}/`) ? path.slice(home.length + 1) : path;
}

function growthText(bytesPerHour: number | null): string {
  return bytesPerHour === null ? "unknown" : `${formatBytes(bytesPerHour)}/h`;
}

function rotatedText({ rotatedFiles, rotatedBytes }: LogUsage): string {
  return rotatedFiles === 0 ? "-" : `${rotatedFiles} (${formatBytes(rotatedBytes)})`;
}

function rotatorText({ rotatedBy }: LogUsage): string {
  return (
    rotatedBy.map(({ tool, config }) => (tool === "logrotate" ? `logrotate (${config})` : tool)).join(", ") || "nothing"
  );
}

function diskText({ path, availableBytes, totalBytes, bytesPerHour, unknownLogs, fullInHours }: Disk): string {
  const free = `Disk ${path}: ${bytesText(availableBytes)} of ${bytesText(totalBytes)} free`;
  const unknown = unknownLogs === 0 ? "" : `, growth of ${unknownLogs} unknown`;
  if (bytesPerHour === null)
    return `${free}. Time until it is full: ${unknownLogs === 0 ? "no log grows without rotation" : "unknown"}.`;
  if (fullInHours === null) return `${free}. The logs that nothing rotates do not grow${unknown}.`;
  return `${free}. Full in ${hoursText(fullInHours)} if logs grow as now${unknown}.`;
}

type Disk = LogUsageResponse["disks"][number];

const HOURS_OF_A_YEAR = 8760;

function hoursText(hours: number): string {
  if (hours > HOURS_OF_A_YEAR) return "more than a year";
  return hours >= 48 ? `${Math.round(hours / 24)} days` : `${hours} h`;
}
