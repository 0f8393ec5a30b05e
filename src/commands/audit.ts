import * as Flags from "@oclif/core/flags";
import { auditList, type AuditRecord } from "../core/index.ts";
import { SvcmCommand } from "./base.ts";
import { ask } from "./terminal/ask.ts";
import { stdoutScreen } from "./terminal/screen.ts";
import { renderTable } from "./terminal/table.ts";

export default class Audit extends SvcmCommand {
  static override summary = "Show who changed what, newest first.";
  static override description =
    "Records name keys, processes and entries, never a value. A change without an outcome was cut off; one that was refused changed nothing.";
  static override examples = ["<%= config.bin %> audit", "<%= config.bin %> audit --limit 5 --json"];
  static override flags = {
    limit: Flags.integer({ summary: "How many records to show.", default: 50, min: 1, max: 1000 }),
  };

  async run() {
    const { flags } = await this.parse(Audit);
    const response = await ask(auditList, flags, { limit: flags.limit });
    if (this.jsonEnabled()) return response;
    this.log(
      response.records.length === 0
        ? "No change has been recorded."
        : await renderTable(
            [
              { heading: "TIME", cell: ({ timestamp }) => timestamp },
              { heading: "ACTION", cell: ({ action }) => action },
              { heading: "ENVIRONMENT", cell: ({ environment = "" }) => environment },
              { heading: "WHAT", cell: subjectOf },
              { heading: "BY", cell: ({ source, actor }) => (actor === undefined ? source : `${actor} (${source})`) },
              { heading: "OUTCOME", cell: outcomeOf },
            ],
            response.records,
            stdoutScreen(),
          ),
    );
    return response;
  }
}

function subjectOf({ keys = [], processes = [], target }: AuditRecord): string {
  const named = processes.map(({ name, pmId }) => (pmId === null ? name : `${name} (id ${pmId})`));
  return [...(target === undefined ? [] : [target]), ...named, ...keys].join(", ");
}

function outcomeOf({ outcome, code, count = 1 }: AuditRecord): string {
  const words = outcome === "started" ? "cut off" : outcome;
  if (count > 1) return `${words} ${count} times (${code ?? ""})`;
  return code === undefined ? words : `${words} (${code})`;
}
