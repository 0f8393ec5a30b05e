import * as Flags from "@oclif/core/flags";
import { logLevels, logStreams } from "../core/api/names.ts";
import {
  chunk,
  logsRead,
  SvcmError,
  type LogBatch,
  type LogProblem,
  type LogQuery,
  type LogsResponse,
} from "../core/index.ts";
import { namesArg } from "./terminal/flags.ts";
import { NodeCommand } from "./terminal/node-command.ts";
import { renderLogLines } from "./terminal/log-lines.ts";
import { sinceOptions } from "./terminal/numbers.ts";
import { readSince } from "../core/words/time.ts";

/** One write per line takes longer than the line, and a much larger write needs new memory each time. */
const LINES_PER_WRITE = 500;
/** Problems that are not a failure. */
const NOTES: ReadonlySet<string> = new Set(["LOG_APP_DELETED", "LOG_DISCARDED", "LOG_FILE_DELETED"]);

export default class Logs extends NodeCommand {
  static override hiddenAliases = ["log"];
  static override summary = "Show the logs of processes, merged by time.";
  static override description =
    "Reads the files that PM2 writes, including rotated and compressed ones. Shows JSON lines with their level, hides known secrets, and keeps control characters away from the terminal. Times are in UTC; a line without a time gets that of the line before it. --follow ends with Ctrl-C. With --grep or --regexp, exits 1 if no line matches.";
  static override examples = [
    "<%= config.bin %> logs",
    "<%= config.bin %> logs api --follow",
    "<%= config.bin %> logs api worker --since 10m --level warn",
    "<%= config.bin %> logs --grep ECONNREFUSED --context 2 --limit 20",
  ];
  static override args = namesArg(
    "Exact name of a process. All of its instances are included. Defaults to every process.",
  );
  static override flags = {
    follow: Flags.boolean({
      char: "f",
      summary: "Then show new lines as they are written.",
      default: false,
      exclusive: ["node"],
    }),
    limit: Flags.integer({
      char: "n",
      aliases: ["lines"],
      summary: "Number of lines to show: the newest ones of all chosen processes together.",
      default: 100,
      min: 0,
      max: 100_000,
    }),
    since: Flags.string(sinceOptions("Show only newer lines.")),
    until: Flags.string({
      summary: "Show only older lines. Accepts the same values as --since.",
      exclusive: ["follow"],
    }),
    grep: Flags.string({
      summary: "Show only lines that contain this text.",
      helpValue: "<text>",
      exclusive: ["regexp"],
    }),
    regexp: Flags.string({
      summary: "Show only lines that match this JavaScript regular expression.",
      helpValue: "<pattern>",
    }),
    "ignore-case": Flags.boolean({ char: "i", summary: "Ignore case when searching.", default: false }),
    context: Flags.integer({
      char: "C",
      summary: "Also show this many lines before and after each match.",
      min: 0,
      max: 100,
      exclusive: ["follow"],
    }),
    level: Flags.option({
      options: logLevels,
      summary:
        "Show only lines of this level and above. A line without a level counts as an error if it is from standard error, otherwise as info.",
    })(),
    stream: Flags.option({ options: logStreams, summary: "Show only standard output, or only standard error." })(),
  };

  async run() {
    const { args, flags } = await this.parse(Logs);
    const { follow, limit, grep, regexp, level, stream, context } = flags;
    const { since, until } = readTimeRange(flags, Date.now());
    const apps = args.name ?? [];
    const search = { grep, regexp, ignoreCase: flags["ignore-case"], context };
    const query = { apps, limit, since, until, level, stream, ...search };
    if (follow) return await this.#follow(query);
    const response = await this.execute(logsRead, { ...query, limit: Math.max(1, limit) });
    requireReadableLog(response);
    if (limit === 0) {
      if (!this.jsonEnabled()) this.#warn(response.problems);
      return { ...response, lines: [], older: response.newer };
    }
    const isSearch = grep !== undefined || regexp !== undefined;
    if (isSearch && response.lines.length === 0) this.setExitCode(1);
    if (!this.jsonEnabled()) this.#print(response, isSearch);
    return response;
  }

  #print({ lines, older, problems }: LogsResponse, isSearch: boolean): void {
    if (lines.length > 0) this.print((screen) => renderLogLines(lines, screen));
    else this.logToStderr(isSearch ? "No line matches." : "The logs contain no such lines.");
    if (isSearch && lines.length > 0 && older !== null)
      this.logToStderr("Older lines may match. Show more with --limit.");
    this.#warn(problems);
  }

  async #follow({ limit = 0, until: _until, context: _context, ...filter }: LogQuery): Promise<void> {
    const { signal } = this;
    const ports = await this.ports();
    for await (const batch of ports.logs.watch({ ...filter, tail: limit, isLossless: true }, signal)) this.#show(batch);
  }

  #show({ lines, begin }: LogBatch): void {
    if (begin) this.#warn(begin.problems);
    if (this.jsonEnabled()) this.logJsonLines(lines);
    else for (const part of chunk(lines, LINES_PER_WRITE)) this.print((screen) => renderLogLines(part, screen));
  }

  #warn(problems: readonly LogProblem[]): void {
    for (const { app, stream, code, details } of problems)
      this.warn(NOTES.has(code) ? details : `The ${stream} log of ${app} is not shown: ${details}`);
  }
}

interface TimeRangeFlags {
  readonly since: string | undefined;
  readonly until: string | undefined;
}

/** @throws {SvcmError} INVALID_REQUEST */
function readTimeRange({ since, until }: TimeRangeFlags, now: number): Pick<LogQuery, "since" | "until"> {
  return {
    since: since === undefined ? undefined : readSince(since, now),
    until: until === undefined ? undefined : readSince(until, now, "--until"),
  };
}

/** @throws {SvcmError} LOGS_FAILED if no log could be read */
function requireReadableLog({ lines, problems }: LogsResponse): void {
  const first = problems.find(({ code }) => !NOTES.has(code));
  if (lines.length === 0 && first) throw new SvcmError("LOGS_FAILED", { code: first.code, details: first.details });
}
