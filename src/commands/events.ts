import * as Flags from "@oclif/core/flags";
import type { InputOf } from "../core/api/inputs.ts";
import { causes, eventKinds } from "../core/api/names.ts";
import {
  auditText,
  eventsList,
  eventText,
  floorToSecond,
  type EventFilter,
  type EventsResponse,
  type Paint,
  type SvcmEvent,
} from "../core/index.ts";
import type { FleetEventQuery } from "../fleet/fleet.ts";
import { SvcmCommand } from "./base.ts";
import { namesArg } from "./terminal/names-arg.ts";
import { nodeFlag } from "./terminal/node-command.ts";
import { stdoutScreen } from "./terminal/screen.ts";
import { readSince, sinceOptions } from "./terminal/since.ts";
import { renderTable, type Column } from "./terminal/table.ts";
import { pluralize } from "../core/words/pluralize.ts";

export default class Events extends SvcmCommand {
  static override summary = "Show what happened to the processes, newest first, and why.";
  static override description =
    "Reads PM2's log and svcm's audit log, so nothing has to be set up first, and PM2 does not have to run. A cause is certain only if the evidence has no other explanation; every other cause has a question mark. Times are in UTC. With --node, the events come from the NATS server, which also has those of nodes that are away.";
  static override examples = [
    "<%= config.bin %> events",
    "<%= config.bin %> events orders-api billing-api --since 7d",
    "<%= config.bin %> events --cause crash --json",
    "<%= config.bin %> events --kind exit --node all",
    "<%= config.bin %> events --follow",
  ];
  static override args = namesArg("Exact name of a process. All of its instances are included.");
  static override flags = {
    limit: Flags.integer({ char: "n", summary: "Number of events to show.", default: 50, min: 1, max: 1000 }),
    since: Flags.string({ ...sinceOptions("Show only newer events."), default: "24h" }),
    follow: Flags.boolean({
      char: "f",
      summary: "Show the newest events, oldest first, then each new one. With --json, one line each.",
      default: false,
    }),
    cause: Flags.option({ options: causes, summary: "Show only events with this cause." })(),
    kind: Flags.option({ options: eventKinds, summary: "Show only events of this kind." })(),
    node: nodeFlag,
  };

  async run() {
    const { args, flags } = await this.parse(Events);
    const { limit, cause, kind, since } = flags;
    const asked = { apps: args.name ?? [], cause, kind, limit, since: readSince(since, Date.now()) };
    const { node: nodes } = flags;
    if (nodes !== undefined) return await this.#ofNodes({ ...asked, nodes }, flags);
    if (flags.follow) return await this.#follow(asked);
    const response = await this.execute(eventsList, asked);
    this.#print(response, COLUMNS, flags, asked.apps);
    return response;
  }

  async #ofNodes(asked: FleetEventQuery, flags: AskedOfNodes): Promise<unknown> {
    const { follow } = flags;
    const { withFleet } = await import("../fleet/index.ts");
    return await withFleet(await this.ports(), process.env, async (fleet) => {
      if (follow) {
        for await (const event of fleet.follow(asked, this.signal)) this.#show(event);
        return undefined;
      }
      const response = await fleet.events(asked);
      this.#print(response, [...COLUMNS.slice(0, 1), OF_NODE, ...COLUMNS.slice(1)], flags, asked.apps);
      const missing = response.missing.map(({ node, state }) => `${node} (${state})`);
      if (missing.length === 0) return response;
      this.logToStderr(`The newest events of ${pluralize(missing.length, "node")} are missing: ${missing.join(", ")}.`);
      process.exitCode = COULD_NOT;
      return response;
    });
  }

  #print(
    { events, next, complete }: EventsResponse,
    columns: readonly Column<SvcmEvent>[],
    flags: Chosen,
    apps: readonly string[],
  ): void {
    if (this.jsonEnabled()) return;
    this.log(events.length === 0 ? noEvent(flags, apps) : renderTable(columns, events, stdoutScreen()));
    if (next !== null) this.logToStderr(`Older events exist. Show more with --limit, up to 1000.`);
    if (!complete) this.warn("Part of the logs could not be read. Older events may exist.");
  }

  async #follow(asked: InputOf<"events.list"> & EventFilter): Promise<void> {
    const { signal } = this;
    const { eventFeed, processes, clock } = await this.ports();
    // The feed has the events from this second on; the list has earlier ones.
    const fromMs = floorToSecond(clock.now());
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
    const of = event.node === undefined ? "" : `${event.node}  `;
    this.log([`${auditText.formatTimestamp(event.at)}  ${of}${eventText(event)}`, ...event.evidence].join(" "));
  }
}

const COLUMNS: readonly Column<SvcmEvent>[] = [
  { heading: "TIME", cell: ({ at }) => auditText.formatTimestamp(at) },
  { heading: "PROCESS", cell: processOf, shorten: "middle" },
  { heading: "EVENT", cell: ({ kind }) => kind, colour: kindColour },
  { heading: "CAUSE", cell: ({ cause, certainty }) => (certainty === "certain" ? cause : `${cause}?`) },
  { heading: "EVIDENCE", cell: ({ evidence }) => evidence.join(" "), shorten: "fold" },
];

const OF_NODE: Column<SvcmEvent> = { heading: "NODE", cell: ({ node = "" }) => node };
const COULD_NOT = 3;

interface Chosen {
  readonly since: string;
  readonly cause?: string | undefined;
  readonly kind?: string | undefined;
}

interface AskedOfNodes extends Chosen {
  readonly follow: boolean;
}

function noEvent({ since, cause, kind }: Chosen, apps: readonly string[]): string {
  const of = apps.length === 0 ? "" : ` of ${apps.join(", ")}`;
  const choice = [...(kind ? [` of the kind ${kind}`] : []), ...(cause ? [` with the cause ${cause}`] : [])];
  return `No event${of}${choice.join("")} since ${since}.`;
}

function processOf({ app, pmId }: SvcmEvent): string {
  if (app === null) return "-";
  return pmId === undefined ? app : `${app} (${pmId})`;
}

function kindColour({ kind }: SvcmEvent, { red, green, yellow }: Paint) {
  if (kind === "exit") return red;
  return kind === "start" ? green : yellow;
}
