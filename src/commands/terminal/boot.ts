import type { BootReport, DaemonReport } from "../../core/index.ts";
import { inLocalTime } from "../../core/words/time.ts";
import { pluralize } from "../../core/words/text.ts";
import { fold, renderTable, type Column } from "./table.ts";
import { paint, type Screen } from "./screen.ts";

export function bootText(report: BootReport): string {
  const { findings, home, units } = report;
  const unit = units.map(
    ({ name, isEnabled, user }) => `${name}, ${isEnabled ? "enabled" : "not enabled"}, user ${user}`,
  );
  return [
    verdictText(report),
    ...findingLines(findings),
    "",
    row("PM2_HOME", `${home}${report.owner === null ? "" : `, owner ${report.owner}`}`),
    row("Unit", unit.length === 0 ? "none" : unit.join("; ")),
    row("List", savedText(report)),
    row("Compared", report.comparedWith === null ? "no ecosystem file" : report.comparedWith),
  ].join("\n");
}

function verdictText({ verdict, saved, running, comparedWith, findings }: BootReport): string {
  if (verdict === "unknown")
    return `${paint.yellow("Unknown:")} svcm cannot see all that decides what a reboot starts.`;
  if (verdict === "no") return `${paint.red("No:")} a reboot would not bring back everything as it is.`;
  if (findings.some(({ code }) => code === "BOOT_LIST_BROKEN"))
    return `${paint.green("Yes:")} a reboot brings back svcm's copy of the list.`;
  if (saved.processes === 0 && !running) return "Nothing to bring back: PM2 runs no apps, and none is saved.";
  if (saved.starts === 0)
    return `${paint.green("Yes:")} a reboot starts nothing, because every saved process is stopped.`;
  const count = pluralize(saved.starts, "process", "processes");
  const asNow = running === null ? "" : ` as ${saved.starts === 1 ? "it is" : "they are"} now`;
  const asDeclared = comparedWith === null ? "" : `${asNow === "" ? "" : ", and"} as declared`;
  return `${paint.green("Yes:")} a reboot brings back ${count}${asNow}${asDeclared}.`;
}

function savedText({ saved }: BootReport): string {
  const { state, processes, starts, savedAt, savedBySvcm } = saved;
  if (state !== "read") return `${saved.path} (${STATES[state]})`;
  const resting = processes - starts;
  const rest = resting === 0 ? "" : `, ${resting} of them stopped`;
  const by = savedBySvcm === null ? "" : savedBySvcm ? " by svcm" : " by another program than svcm";
  return `${pluralize(processes, "process", "processes")}${rest}, saved ${savedAt === null ? "at an unknown time" : inLocalTime(savedAt)}${by}`;
}

const STATES = {
  absent: "does not exist",
  empty: "has no apps",
  broken: "cannot be parsed",
  unreadable: "cannot be read",
};

function findingLines(findings: BootReport["findings"]): string[] {
  return findings.flatMap(({ code, severity, message, command }) => [
    `  ${(severity === "error" ? paint.red : paint.yellow)(severity)} ${paint.dim(code)} ${message}`,
    `    ${paint.cyan("Next:")} ${command}`,
  ]);
}

type DaemonRow = NonNullable<DaemonReport["daemons"]>[number];

const COLUMNS: readonly Column<DaemonRow>[] = [
  { heading: "PM2_HOME", cell: ({ home, isOwn }) => (isOwn ? `${home} *` : home), shorten: "middle" },
  { heading: "USER", cell: ({ user }) => user },
  { heading: "PID", cell: ({ pid }) => String(pid), side: "right" },
  { heading: "PM2", cell: ({ pm2Version }) => pm2Version },
  { heading: "NODE", cell: nodeText },
  {
    heading: "UNIT",
    cell: ({ group }) => group?.split("/").findLast((part) => part.endsWith(".service")) ?? "-",
    dropPriority: 1,
  },
];

function nodeText({ nodeVersion, nodePath, nodeFile }: DaemonRow): string {
  const file = nodeFile === "gone" || nodeFile === "replaced" ? ` (${nodeFile})` : "";
  return `${nodeVersion ?? nodePath ?? "-"}${file}`;
}

export function daemonText({ daemons, findings, home, library, wantedNode }: DaemonReport, screen: Screen): string {
  const own = daemons?.filter(({ isOwn }) => isOwn) ?? [];
  const verdict =
    daemons === null
      ? "This system does not show processes, so svcm lists no daemons."
      : own.length === 0
        ? `No PM2 daemon runs with PM2_HOME ${home}.`
        : `${paint.bold(`PM2 ${own[0]?.pm2Version}`)} ${own[0]?.isSuspended === true ? "is suspended" : "runs"} with PM2_HOME ${home}.`;
  const wanted =
    wantedNode === null ? "" : `, the repository asks for Node.js ${wantedNode.range} (${wantedNode.file})`;
  const facts = `${library === null ? "No PM2 is installed that svcm may load" : `PM2 ${library} is installed`}${wanted}.`;
  const head = fold([verdict, ...findingLines(findings), facts].join("\n"), screen);
  return daemons === null || daemons.length === 0 ? head : `${head}\n\n${renderTable(COLUMNS, daemons, screen)}`;
}

function row(label: string, text: string): string {
  return `${label.padEnd(8)} ${text}`;
}
