import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import type { InputOf } from "../core/api/inputs.ts";
import { causes } from "../core/api/names.ts";
import {
  auditText,
  eventsList,
  eventText,
  wholeSecond,
  type EventFilter,
  type Paint,
  type SvcmEvent,
} from "../core/index.ts";
import { NodeCommand } from "./terminal/node-command.ts";
import { stdoutScreen } from "./terminal/screen.ts";
import { readSince } from "./terminal/since.ts";
import { renderTable, type Column } from "./terminal/table.ts";

export default class Events extends NodeCommand {
  static override summary = "Show what happened to the processes, newest first, and why.";
  static override description =
    "Reads PM2's log and svcm's audit log, so nothing needs to be recorded before, and PM2 need not run. A cause is certain only if the evidence has no other explanation; a question mark follows every other one. Times are in UTC.";
  static override examples = [
    "<%= config.bin %> events",
    "<%= config.bin %> events orders-api billing-api --since 7d",
    "<%= config.bin %> events --cause crash --json",
    "<%= config.bin %> events --follow",
  ];
  static override args = {
    name: Args.string({
      ignoreStdin: true,
      description: "Exact name of a process. All of its instances are included.",
      multiple: true,
    }),
  };
  static override flags = {
    limit: Flags.integer({ char: "n", summary: "Number of events to show.", default: 50, min: 1, max: 1000 }),
    since: Flags.string({
      summary: "Show only newer events. Takes an age such as 30m, 24h or 7d, or a date such as 2026-01-31.",
      default: "24h",
    }),
    follow: Flags.boolean({
      char: "f",
      summary: "Show the newest events, oldest first, then each new one. With --json, one line each.",
      default: false,
      exclusive: ["node"],
    }),
    cause: Flags.option({ options: causes, summary: "Show only events with this cause." })(),
  };

  async run() {
    const { args, flags } = await this.parse(Events);
    const { limit, cause, since } = flags;
    const apps = args.name ?? [];
    const asked = { apps, cause, limit, since: readSince(since, Date.now()) };
    if (flags.follow) return await this.#follow(asked);
    const response = await this.execute(eventsList, asked);
    if (this.jsonEnabled()) return response;
    const { events, next, complete } = response;
    this.log(events.length === 0 ? `No event since ${since}.` : renderTable(COLUMNS, events, stdoutScreen()));
    if (next !== null) this.logToStderr(`Older events exist. Show more with --limit, up to 1000.`);
    if (!complete) this.warn("PM2's log or the audit log is too large to read whole. Older events may exist.");
    return response;
  }

  async #follow(asked: InputOf<"events.list"> & EventFilter): Promise<void> {
    const { signal } = this;
    const { eventFeed, processes, clock } = await this.ports();
    // The feed has the events from this second on, and the list those before.
    const fromMs = wholeSecond(clock.now());
    const { events } = await this.execute(eventsList, asked);
    for (const event of events.toReversed()) if (Date.parse(event.at) < fromMs) this.#show(event);
    try {
      for await (const event of eventFeed.watch(signal, { ...asked, fromMs })) this.#show(event);
    } finally {
      await processes.close();
    }
  }

  #show(event: SvcmEvent): void {
    if (this.jsonEnabled()) return this.logJsonLine(event);
    this.log([`${auditText.secondOf(event.at)}  ${eventText(event)}`, ...event.evidence].join(" "));
  }
}

const COLUMNS: readonly Column<SvcmEvent>[] = [
  { heading: "TIME", cell: ({ at }) => auditText.secondOf(at) },
  { heading: "PROCESS", cell: processOf, shorten: "middle" },
  { heading: "EVENT", cell: ({ kind }) => kind, colour: kindColour },
  { heading: "CAUSE", cell: ({ cause, certainty }) => (certainty === "certain" ? cause : `${cause}?`) },
  { heading: "EVIDENCE", cell: ({ evidence }) => evidence.join(" "), shorten: "fold" },
];

function processOf({ app, pmId }: SvcmEvent): string {
  if (app === null) return "-";
  return pmId === undefined ? app : `${app} (${pmId})`;
}

function kindColour({ kind }: SvcmEvent, { red, green, yellow }: Paint) {
  if (kind === "exit") return red;
  return kind === "start" ? green : yellow;
}
