import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { auditOutcomes } from "../core/api/names.ts";
import { auditList, auditText, type AuditRecord, type Paint } from "../core/index.ts";
import { NodeCommand } from "./terminal/node-command.ts";
import { sinceOptions } from "./terminal/numbers.ts";
import { printTable, type Column } from "./terminal/table.ts";
import type { Verdict } from "./terminal/screen.ts";
import { groupBy } from "../core/words/record.ts";
import { inLocalTime, readSince } from "../core/words/time.ts";
import { pluralize } from "../core/words/text.ts";

export default class Audit extends NodeCommand {
  static override summary = "Show who changed what, newest first.";
  static override description =
    "Records name keys, processes and entries, but never contain values. A change without an outcome was interrupted: its process crashed or was killed. A refused change had no effect.";
  static override examples = [
    "<%= config.bin %> audit",
    "<%= config.bin %> audit api --since 24h",
    "<%= config.bin %> audit --outcome refused --limit 5 --json",
  ];
  static override args = {
    name: Args.string({
      ignoreStdin: true,
      description: "Text to find in the names of processes, keys, entries, actions, environments and users.",
    }),
  };
  static override flags = {
    limit: Flags.integer({ char: "n", summary: "Number of records to show.", default: 50, min: 1, max: 1000 }),
    calls: Flags.boolean({ summary: "Also show what programs asked over MCP.", default: false }),
    since: Flags.string(sinceOptions("Show only newer records.")),
    outcome: Flags.option({
      options: auditOutcomes,
      summary: "Show only changes with this outcome. A change that is only started was interrupted.",
    })(),
  };

  async run() {
    const { args, flags } = await this.parse(Audit);
    const { limit, outcome, since } = flags;
    const calls = flags.calls || undefined;
    const from = since === undefined ? undefined : readSince(since, Date.now());
    const response = await this.execute(auditList, { limit, outcome, text: args.name, since: from, calls });
    if (this.jsonEnabled()) return response;
    const { records } = response;
    printTable(this, COLUMNS, foldEqual(records), nothingFound(args.name, since, outcome), auditVerdict(records));
    if (!response.complete) this.warn("Part of the audit log is damaged and was skipped. Older records may exist.");
    return response;
  }
}

function auditVerdict(records: readonly AuditRecord[]): Verdict {
  const bad = records.filter(({ outcome }) => outcome !== "succeeded");
  const outcomes = [...groupBy(records, ({ outcome }) => (outcome === "started" ? "interrupted" : outcome))];
  const text = `${pluralize(records.length, "record")}: ${outcomes.map(([outcome, ones]) => `${ones.length} ${outcome}`).join(", ")}.`;
  return bad.length === 0 ? { text } : { text, tone: "attention" };
}

/** Equal neighbours are one row, with the newest time: a timer repeats itself. */
function foldEqual(records: readonly AuditRecord[]): AuditRecord[] {
  const rows: AuditRecord[] = [];
  for (const record of records) {
    const last = rows.at(-1);
    if (last === undefined || rowKey(last) !== rowKey(record)) rows.push(record);
    else rows[rows.length - 1] = { ...last, count: (last.count ?? 1) + (record.count ?? 1) };
  }
  return rows;
}

function rowKey(record: AuditRecord): string {
  const { action, environment, outcome, code } = record;
  return JSON.stringify([
    action,
    environment,
    outcome,
    code,
    auditText.subjectText(record),
    auditText.callerText(record),
  ]);
}

const COLUMNS: readonly Column<AuditRecord>[] = [
  { heading: "TIME", cell: ({ timestamp }) => inLocalTime(timestamp) },
  { heading: "ACTION", cell: ({ action }) => action },
  { heading: "ENVIRONMENT", cell: ({ environment = "" }) => environment, dropPriority: 1 },
  { heading: "WHAT", cell: auditText.subjectText, shorten: "fold" },
  {
    heading: "BY",
    cell: auditText.callerText,
    shorten: "end",
    dropPriority: 2,
  },
  { heading: "OUTCOME", cell: auditText.outcomeText, shorten: "fold", colour: outcomeColour },
];

function nothingFound(...filters: readonly (string | undefined)[]): string {
  const isFiltered = filters.some((filter) => filter !== undefined);
  return isFiltered ? "No record matches." : "No change has been recorded.";
}

function outcomeColour({ outcome }: AuditRecord, { green, red, yellow }: Paint) {
  if (outcome === "succeeded") return green;
  return outcome === "failed" ? red : yellow;
}
