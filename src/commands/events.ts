import { shellQuote, pluralize } from "../core/words/text.ts";
import * as Flags from "@oclif/core/flags";
import type { InputOf } from "../core/api/inputs.ts";
import { causes, eventKinds } from "../core/api/names.ts";
import {
  eventsList,
  floorToSecond,
  foldRows,
  type EventFilter,
  type EventsResponse,
  type SvcmEvent,
} from "../core/index.ts";
import type { FleetEventQuery } from "../fleet/fleet.ts";
import { SvcmCommand } from "./base.ts";
import { namesArg } from "./terminal/flags.ts";
import { nodeFlag } from "./terminal/node-command.ts";
import { sinceOptions } from "./terminal/numbers.ts";
import { eventLine, eventRowsText } from "./terminal/event-rows.ts";
import { type Verdict, withVerdict } from "./terminal/screen.ts";
import { groupBy } from "../core/words/record.ts";
import { readSince } from "../core/words/time.ts";

export default class Events extends SvcmCommand {
  static override summary = "Show what happened to the processes, newest first, and why.";
  static override description =
    "Reads PM2's log and svcm's audit log, so nothing has to be set up first, and PM2 does not have to run. A cause is certain only if the evidence has no other explanation; every other cause has a question mark. Times are those of this machine, with their offset; --json has them in UTC. With --node, the events come from the NATS server, which also has those of nodes that are away.";
  static override examples = [
    "<%= config.bin %> events",
    "<%= config.bin %> events api worker --since 7d",
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
    const query = { apps: args.name ?? [], cause, kind, limit, since: readSince(since, Date.now()) };
    const { node: nodes } = flags;
    if (nodes !== undefined) return await this.#showFleetEvents({ ...query, nodes }, flags);
    if (flags.follow) return await this.#follow(query);
    const response = await this.execute(eventsList, query);
    this.#print(response, flags, query.apps);
    return response;
  }

  async #showFleetEvents(query: FleetEventQuery, flags: EventFlags & { readonly follow: boolean }): Promise<unknown> {
    const { follow } = flags;
    return this.withFleet(async (fleet) => {
      if (follow) {
        for await (const event of fleet.follow(query, this.signal)) this.#show(event);
        return undefined;
      }
      const response = await fleet.events(query);
      this.#print(response, flags, query.apps);
      const missing = response.missing.map(({ node, state }) => `${node} (${state})`);
      if (missing.length === 0) return response;
      this.logToStderr(`The newest events of ${pluralize(missing.length, "node")} are missing: ${missing.join(", ")}.`);
      this.setExitCode(COULD_NOT);
      return response;
    });
  }

  #print({ events, next, complete, note }: EventsResponse, flags: EventFlags, apps: readonly string[]): void {
    if (this.jsonEnabled()) return;
    this.print((screen) => {
      if (events.length === 0) return noEventsText(flags, apps);
      return withVerdict(eventsVerdict(events, flags.since), eventRowsText(foldRows(events), screen));
    });
    if (note !== undefined) this.warn(note);
    if (next !== null) this.logToStderr(`Older events exist. Show more with --limit, up to 1000.`);
    if (!complete) this.warn("Part of the logs could not be read. Older events may exist.");
  }

  async #follow(query: InputOf<"events.list"> & EventFilter): Promise<void> {
    const { signal } = this;
    const { eventFeed, processes, clock } = await this.ports();
    // The feed has the events from this second on; the list has earlier ones.
    const fromMs = floorToSecond(clock.now());
    const { events } = await this.execute(eventsList, query);
    for (const event of events.toReversed()) if (Date.parse(event.at) < fromMs) this.#show(event);
    try {
      for await (const event of eventFeed.watch(signal, { ...query, fromMs })) this.#show(event);
    } finally {
      await processes.close();
    }
  }

  #show(event: SvcmEvent): void {
    if (this.jsonEnabled()) return this.logJsonLine(event);
    this.log(eventLine(event));
  }
}

/** The next command explains the newest crash. */
function eventsVerdict(events: readonly SvcmEvent[], since: string): Verdict {
  const counts = [...groupBy(events, ({ kind }) => kind)].map(([kind, ones]) => `${ones.length} ${kind}`);
  const crashed = events.find(({ app, cause }) => app !== null && cause === "crash")?.app ?? null;
  return {
    text: `${pluralize(events.length, "event")} since ${since}: ${counts.join(", ")}.`,
    ...(crashed !== null && { tone: "attention", next: `svcm why ${shellQuote(crashed)}` }),
  };
}

const COULD_NOT = 3;

interface EventFlags {
  readonly since: string;
  readonly cause?: string | undefined;
  readonly kind?: string | undefined;
}

function noEventsText({ since, cause, kind }: EventFlags, apps: readonly string[]): string {
  const of = apps.length === 0 ? "" : ` of ${apps.join(", ")}`;
  const choice = [...(kind ? [` of the kind ${kind}`] : []), ...(cause ? [` with the cause ${cause}`] : [])];
  return `No event${of}${choice.join("")} since ${since}.`;
}
