import { computed, effect, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { ConnectionState, ProcessMetrics } from "../../../client/index.ts";
import { unhidden } from "../../../core/deployments/characters.ts";
import type { Console } from "../../console.ts";
import { createSparklines, type Sparklines } from "../../ui/sparklines.ts";
import type { Mark } from "../index.ts";
import { createActing, type Acting } from "./acting.ts";
import { createFeed, type Feed, type Metrics } from "./feed.ts";
import { createOrder, type Order } from "./order.ts";
import { watchTrouble } from "./trouble.ts";
import { createView, type View } from "./view.ts";

/** What the parts of the tab share. It is kept when the tab is left, so that the charts go on where they were. */
export interface Monitor extends Acting {
  readonly feed: Feed;
  readonly sparklines: Sparklines;
  readonly order: Order;
  readonly view: View;
  readonly filter: Signal<string>;
  readonly status: Signal<string>;
  readonly open: Signal<ReadonlySet<string>>;
  /** While somebody is at the declared apps below the table: what both show, so that nothing moves under a click. */
  readonly still: Signal<{ readonly keys: ReadonlySet<string>; readonly missing: readonly string[] } | undefined>;
  readonly showsCores: Signal<boolean>;
  /** What is on the screen is old: the connection is lost, or no sample came for a while. */
  readonly isOld: ReadonlySignal<boolean>;
  /** By PM2's number. */
  readonly drift: ReadonlySignal<ReadonlyMap<number, Drift>>;
  /** How many processes are in trouble; `undefined` until they were looked at. */
  readonly trouble: ReadonlySignal<number | undefined>;
  /** Compares the processes with another environment, from now on and at the next visit. */
  compareWith(environment: string): void;
  /** What to ask before the start of a declared app; `undefined` if nothing speaks against it. */
  doubtAbout(name: string): string | undefined;
}

/** The one of this page. */
export function monitorOf(console: Console): Monitor {
  return console.kept("monitoring", () => createMonitor(console));
}

/** The name of the choice of the environment that the processes are compared with. */
const ENVIRONMENT = "monitoring.environment";

function createMonitor({ api, session, server, toasts, facts, choices }: Console): Monitor {
  const { ecosystem } = facts.defaults;
  const taken = "refusal" in ecosystem ? "" : ecosystem.name;
  const onState = (state: ConnectionState): void => {
    // Whether the server is there, and which version of it, is another question; this is the moment to ask it.
    if (state !== "stale") void server.look();
  };
  const feed = createFeed({
    url: new URL(".", location.href).href,
    session,
    server,
    environment: choices.get(ENVIRONMENT) ?? taken,
    nextFrame: (draw) => void requestAnimationFrame(draw),
    onState,
  });
  const view = createView(feed);
  // Whoever finds the server back first tells the other.
  effect(() => {
    if (server.isOnline.value && feed.state.peek() === "connecting") feed.tryNow();
  });
  return {
    ...createActing(feed, toasts),
    feed,
    trouble: watchTrouble(feed, api),
    sparklines: createSparklines(() => view.span.value),
    order: createOrder(),
    view,
    filter: signal(""),
    status: signal(""),
    open: signal<ReadonlySet<string>>(new Set()),
    still: signal(undefined),
    showsCores: signal(false),
    isOld: computed(() => feed.shown.value !== undefined && feed.state.value !== "live"),
    drift: computed(() => driftByProcess(feed.shown.value?.metrics?.ecosystem.drift ?? [])),
    compareWith(environment) {
      choices.set(ENVIRONMENT, environment === taken ? undefined : environment);
      feed.environment.value = environment;
      feed.subscribe();
    },
    doubtAbout: (name) => doubtAbout(unhidden(name), feed, taken),
  };
}

/**
 * Why it may be a mistake to start a declared app here: the server works in another environment than the one that
 * declares the app, or what runs belongs to another one.
 */
function doubtAbout(name: string, { environment, shown }: Feed, taken: string): string | undefined {
  const [asked, metrics] = [environment.value, shown.value?.metrics];
  if (taken !== "" && asked !== taken) {
    return `This server works in the environment ${taken}. Start ${name} of ${asked} here?`;
  }
  const { processes = [], ecosystem } = metrics ?? {};
  const undeclared = new Set(ecosystem?.unexpected);
  if (processes.length === 0 || processes.some((process) => !undeclared.has(process.name))) return undefined;
  return `No process here is declared in ${ecosystem?.fileName}. Start ${name} of ${asked} here?`;
}

/** What the list of tabs shows: processes in trouble, or that PM2 cannot be read. */
export function monitoringMark(console: Console): Mark {
  return { errors: monitorOf(console).trouble.value ?? 0 };
}

type Drift = Metrics["ecosystem"]["drift"];

/** What of the process is not as its ecosystem file says. */
export function driftOf({ drift }: Monitor, { pmId }: ProcessMetrics): Drift {
  return drift.value.get(pmId) ?? [];
}

function driftByProcess(drift: Drift): ReadonlyMap<number, Drift> {
  const map = new Map<number, Drift[number][]>();
  for (const entry of drift) {
    for (const pmId of entry.pmIds) map.set(pmId, [...(map.get(pmId) ?? []), entry]);
  }
  return map;
}

export interface ProcessProps {
  readonly process: ProcessMetrics;
  readonly monitor: Monitor;
}
