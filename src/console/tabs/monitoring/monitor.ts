import { computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { Action, ActionResult, ConnectionState, ProcessMetrics } from "../../../client/index.ts";
import type { Console } from "../../console.ts";
import { RequestError } from "../../data/request-error.ts";
import { createSparklines, type Sparklines } from "../../ui/sparklines.ts";
import type { Mark } from "../index.ts";
import { createFeed, failureOf, type Feed, type Metrics } from "./feed.ts";
import { createOrder, type Order } from "./order.ts";
import { createView, type View } from "./view.ts";

/** What the parts of the tab share. It outlives a leaving, so that the charts go on where they were. */
export interface Monitor {
  readonly feed: Feed;
  readonly sparklines: Sparklines;
  readonly order: Order;
  readonly view: View;
  readonly filter: Signal<string>;
  readonly status: Signal<string>;
  readonly open: Signal<ReadonlySet<string>>;
  readonly showsCores: Signal<boolean>;
  /** What is on the screen is old: the connection is lost, or nothing comes over it. */
  readonly isOld: ReadonlySignal<boolean>;
  /** By PM2's number. */
  readonly drift: ReadonlySignal<ReadonlyMap<number, Drift>>;
  /** Keys of what an action is under way for. */
  readonly acting: ReadonlySignal<ReadonlySet<string>>;
  act(action: Action, key: string): Promise<void>;
}

/** The one of this page. */
export function monitorOf(console: Console): Monitor {
  return console.kept("monitoring", () => createMonitor(console));
}

function createMonitor({ session, server, toasts, facts }: Console): Monitor {
  const onState = (state: ConnectionState): void => {
    // Whether the server is there, and which version of it, is another question; this is the moment to ask it.
    if (state !== "stale") void server.look();
  };
  const feed = createFeed({
    url: new URL(".", location.href).href,
    session,
    environment: facts.matrix.pm2Profiles[0] ?? facts.contract.defaultEnvironment,
    nextFrame: (draw) => void requestAnimationFrame(draw),
    onState,
  });
  const acting = signal<ReadonlySet<string>>(new Set());
  return {
    feed,
    sparklines: createSparklines(),
    order: createOrder(),
    view: createView(feed),
    filter: signal(""),
    status: signal(""),
    open: signal<ReadonlySet<string>>(new Set()),
    showsCores: signal(false),
    isOld: computed(() => feed.shown.value !== undefined && feed.state.value !== "live"),
    drift: computed(() => driftByProcess(feed.shown.value?.metrics?.ecosystem.drift ?? [])),
    acting,
    async act(action, key) {
      acting.value = new Set([...acting.value, key]);
      const topic = `action ${key}`;
      try {
        const result = await feed.act(action);
        if (result.ok) {
          toasts.resolve(topic);
          toasts.success(outcomeOf(result));
        } else toasts.error(refusalOf(result), topic);
      } catch (error) {
        toasts.error(new RequestError(failureOf(error)), topic);
      } finally {
        acting.value = new Set([...acting.value].filter((other) => other !== key));
      }
    },
  };
}

/** The service's own words. */
function refusalOf({ action, name, error = `${name}: ${action} failed.`, code }: ActionResult): RequestError {
  return new RequestError({ error, ...(code !== undefined && { code }) });
}

const done = { start: "started", stop: "stopped", restart: "restarted" } as const;

function outcomeOf({ action, name, affected = [], skipped = [] }: ActionResult): string {
  const pids = affected.flatMap(({ pid }) => (pid === null ? [] : [pid]));
  const about = pids.length === 0 ? "" : ` (pid ${pids.join(", ")})`;
  const left = skipped.map((other) => ` ${other.name} was left alone: ${other.reason}.`).join("");
  return `${name} ${done[action]}${about}.${left}`;
}

/** What the list of tabs shows: errored processes, or that PM2 cannot be read. */
export function monitoringMark(console: Console): Mark {
  const { feed } = monitorOf(console);
  const shown = feed.shown.value;
  if (feed.state.value === "closed" || shown === undefined) return {};
  return { errors: shown.metrics?.summary.erroredCount ?? (shown.refusal ? 1 : 0) };
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
