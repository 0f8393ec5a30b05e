import * as Flags from "@oclif/core/flags";
import { historyShow, encodeSeriesApp, type HistoryResponse } from "../../core/index.ts";
import { namesArg } from "../terminal/flags.ts";
import { NodeCommand } from "../terminal/node-command.ts";
import { UsageError } from "../terminal/errors.ts";
import { historyCsv, renderHistory } from "../terminal/history.ts";
import { sinceOptions } from "../terminal/times.ts";
import { readSince } from "../../core/words/time.ts";

export default class MetricsHistory extends NodeCommand {
  static override summary = "Show the recorded past of the processes, or of the host.";
  static override description =
    "Reads what svcm serve --record wrote to .svcm/history: a value every 10 seconds for 7 days, then one-minute means and maxima for 90 days. Growth is the difference between the first and the last memory value. Neither PM2 nor a server has to run. --json and --csv show at most 500 points of each series.";
  static override examples = [
    "<%= config.bin %> metrics history",
    "<%= config.bin %> metrics history api --since 7d",
    "<%= config.bin %> metrics history --host --since 1h --csv",
    "<%= config.bin %> metrics history --json | jq '.series[] | select(.metric == \"memoryBytes\")'",
  ];
  static override args = namesArg("Exact name of a process. All of its instances are included.");
  static override flags = {
    host: Flags.boolean({ summary: "Show the host instead of processes.", default: false }),
    since: Flags.string({ ...sinceOptions("Beginning of the time range."), default: "24h" }),
    csv: Flags.boolean({ summary: "Print one line for each value, for a spreadsheet.", default: false }),
  };

  async run() {
    const { args, flags } = await this.parse(MetricsHistory);
    const { host, since, csv } = flags;
    const names = args.name ?? [];
    if (host && names.length > 0)
      throw new UsageError("Both --host and names were given.", "--host, or names of processes, not both");
    if (csv && this.jsonEnabled()) throw new UsageError("Both --csv and --json were given.", "one of them");
    const series = host ? "host" : names.length === 0 ? "*" : names.map(encodeSeriesApp).join(",");
    const now = Date.now();
    const history = await this.execute(historyShow, { series, from: readSince(since, now), to: now });
    if (this.jsonEnabled()) return history;
    if (csv) this.logExactly(historyCsv(history));
    else
      this.print((screen) =>
        history.series.length === 0 ? emptyText(history, since) : renderHistory(history, screen),
      );
    for (const { file, code } of history.unreadable)
      this.logToStderr(`${file} could not be read completely (${code}).`);
    return history;
  }
}

function emptyText({ recorder }: HistoryResponse, since: string): string {
  if (recorder.since !== null) return `Nothing of that was recorded since ${since}.`;
  return "Nothing is recorded yet. Start svcm serve --record, or add this line to svcm.yaml, which svcm init writes: record: true";
}
