import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";
import type { ConnectionState, ProcessMetrics } from "../../../client/index.ts";
import { escapeHidden } from "../../../core/words/characters.ts";
import type { Console } from "../../console.ts";
import { isProductionName } from "../../../core/words/production.ts";
import { pluralize } from "../../data/format.ts";
import type { Preferences } from "../../state/preferences.ts";
import { createSparklines } from "../../ui/sparklines.ts";
import { type AppGroup, type Row, toRow } from "./rows.ts";
import { Feed, type Metrics } from "./feed.ts";
import { createMarks, watchProblemCount, isOfEnvironment, type ProblemCount } from "./problems.ts";
import { monitoringParts, createOrder, createSide } from "./address.ts";
import { createHistory } from "./history.ts";
import { createEvents } from "./events.ts";
import { createActions } from "./actions.ts";
import { createView } from "./view.ts";
import { shellQuote } from "../../../core/words/text.ts";
import type { Api } from "../../data/api.ts";

const PREFERENCE = "monitoring.notices";

/** The state that the parts of the tab share. It outlives the tab, so that the charts have no gaps. */
export type Monitor = ReturnType<typeof createMonitor>;

export interface ProcessProps {
  readonly process: ProcessMetrics;
  readonly monitor: Monitor;
}

type Drift = Metrics["ecosystem"]["drift"];

/** Rows and declared apps that stay in place while the user points at the apps. */
interface FrozenRows {
  readonly keys: ReadonlySet<string>;
  readonly missing: readonly string[];
}

export function monitorOf(page: Console): Monitor {
  return page.getOrCreate("monitoring", () => {
    const monitor = createMonitor(page);
    page.router.keep(...monitoringParts(monitor));
    return monitor;
  });
}

const ENVIRONMENT = "monitoring.environment";

function createMonitor(page: Console) {
  const { api, service, toasts, facts, preferences, questions } = page;
  const { node } = page.router;
  const { ecosystem } = facts.defaults;
  const ownEnvironment = facts.machineEnvironment ?? ("refusal" in ecosystem ? "" : ecosystem.name);
  const feed = createFeed(page, preferences.get(ENVIRONMENT) ?? storedProfile(page) ?? ownEnvironment);
  /** The choice is remembered for the next visit, and the env editor follows it. */
  const selectEnvironment = (environment: string): void => {
    preferences.set(ENVIRONMENT, environment === ownEnvironment ? undefined : environment);
    feed.select(environment);
    if (storedProfile(page) !== undefined && Object.hasOwn(facts.contract.environments, environment))
      page.store.update((document) => ({ ...document, runtimeEnvironment: environment }));
  };
  const view = createView(feed, watchReleased(api, feed));
  const marks = createMarks(api, feed, node);
  const problemCount = watchProblemCount(feed, { api, service, marks });
  const actions = createActions(feed, toasts);
  return {
    ...actions,
    feed,
    marks,
    view,
    history: createHistory(api, feed, view),
    problemCount,
    notifications: createNotifications(problemCount, feed, preferences),
    events: createEvents(feed, api),
    sparklines: createSparklines(() => view.span.value),
    order: createOrder(),
    ...createFilter(),
    status: signal(""),
    /** Apps whose instances are shown. */
    open: signal<ReadonlySet<string>>(new Set()),
    side: createSide(page.router),
    frozen: signal<FrozenRows | undefined>(),
    showsCores: signal(false),
    isOld: computed(() => feed.displayed.value !== undefined && feed.state.value !== "live"),
    drift: computed(() => driftByProcess(feed.displayed.value?.metrics?.ecosystem.drift ?? [])),
    selectEnvironment,
    choice: computed(() => ({
      name: feed.environment.value,
      names: facts.matrix.pm2Profiles,
      select: selectEnvironment,
    })),
    /** For commands that do the same. */
    flags: computed(() => flagsOf(feed.environment.value, service.value, node)),
    ...createProduction({ facts, questions, node, environments: () => [feed.environment.value, ownEnvironment] }),
    /** Starts declared apps one after another, so that each has its own outcome. */
    startDeclared: async (names: readonly string[], verb: string): Promise<void> => {
      const doubt = startWarning(names[0], feed, ownEnvironment);
      if (doubt !== undefined && !(await questions.ask({ title: doubt, verb }))) return;
      for (const name of names) await actions.act({ action: "start", scope: "ecosystem", name }, name);
    },
  };
}

/** The list follows a task later, because the browser lays out the page for the caret in the task of a key. */
function createFilter() {
  const [filter, wanted] = [signal(""), signal("")];
  effect(() => {
    const text = filter.value.trim().toLowerCase();
    setTimeout(() => void (wanted.value = text));
  });
  return { filter, wanted };
}

/** The environment of the env editor, if PM2 can run it. */
function storedProfile({ facts, store }: Console): string | undefined {
  const { runtimeEnvironment: stored } = store.document.peek();
  return facts.matrix.pm2Profiles.find((name) => name === stored);
}

function createFeed({ session, server, service, router }: Console, environment: string): Feed {
  const feed = new Feed({
    url: new URL(".", location.href).href,
    session,
    server,
    environment,
    service,
    node: router.node,
    // Outside of the frame, because the browser lays out and paints in the same task.
    nextFrame: (draw) => void requestAnimationFrame(() => setTimeout(draw)),
    onState: (state: ConnectionState) => {
      if (state !== "stale") void server.check();
    },
  });
  service.subscribe(() => feed.subscribe());
  effect(() => {
    if (server.isOnline.value && feed.state.peek() === "connecting") feed.reconnect();
  });
  return feed;
}

function flagsOf(environment: string, service: string, node: string): string {
  const ofService = service === "" ? "" : ` --service ${shellQuote(service)}`;
  const onNode = node === "" ? "" : ` --node ${shellQuote(node)}`;
  return `--ecosystem --environment ${environment}${ofService}${onNode}`;
}

/** The server works in another environment, or no running process belongs to this one. */
function startWarning(app = "", { environment, displayed }: Feed, ownEnvironment: string): string | undefined {
  const [name, chosen, metrics] = [escapeHidden(app), environment.value, displayed.value?.metrics];
  if (ownEnvironment !== "" && chosen !== ownEnvironment) {
    return `This server works in the environment ${ownEnvironment}. Start ${name} of ${chosen} here?`;
  }
  if (metrics === undefined || isOfEnvironment(metrics)) return undefined;
  return `No process here is declared in ${metrics.ecosystem.fileName}. Start ${name} of ${chosen} here?`;
}

export function rowIn(monitor: Monitor, from: AppGroup): Row {
  return toRow(
    from,
    (process) => driftOf(monitor, process),
    ({ key, process: { memoryBytes } }) => {
      const first = memoryBytes === null ? undefined : monitor.history.firstMemory(key);
      return first && { bytes: (memoryBytes ?? 0) - first.value, since: first.time };
    },
  );
}

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

/** Browser notifications while the page is hidden; off by default. */
function createNotifications(
  problemCount: ReadonlySignal<ProblemCount>,
  { isLost }: Pick<Feed, "isLost">,
  preferences: Preferences,
) {
  const isPossible = "Notification" in globalThis;
  const isAllowed = (): boolean => isPossible && Notification.permission === "granted";
  const isOn = signal(isAllowed() && preferences.get(PREFERENCE) !== undefined);
  let before: ProblemCount = {};
  effect(() => {
    const now = problemCount.value;
    const { errors = 0, unknown } = now;
    if (isOn.value && document.hidden) {
      if (errors > (before.errors ?? errors)) notify(`${pluralize(errors, "app needs", "apps need")} attention`);
      // A lost connection may be that of a laptop, and returns by itself.
      if (unknown !== undefined && before.unknown === undefined && !isLost.peek()) notify(unknown);
    }
    before = now;
  });
  return {
    isPossible,
    isOn,
    async turn(on: boolean): Promise<void> {
      isOn.value = on && (isAllowed() || (await Notification.requestPermission()) === "granted");
      preferences.set(PREFERENCE, isOn.value ? "on" : undefined);
    },
  };
}

function notify(words: string): void {
  const notice = new Notification(words, { body: location.host, tag: "svcm" });
  notice.addEventListener("click", () => focus());
}

interface Production extends Pick<Console, "facts" | "questions"> {
  readonly environments: () => readonly string[];
  /** Empty for the machine of the server. */
  readonly node: string;
}

function createProduction({ facts, questions, environments, node }: Production) {
  const production = computed(() => environments().find(isProductionName));
  return {
    isProduction: computed(() => production.value !== undefined),
    /**
     * In production, the user types the name of the app, or the environment for several apps or another machine.
     *
     * @param question for other environments; by default nothing is asked there
     */
    mayEnd: async (verb: string, apps: readonly string[], question?: string): Promise<boolean> => {
      const { value: place } = production;
      if (place === undefined) return question === undefined || (await questions.ask({ title: question, verb }));
      const [app = "", ...others] = apps;
      const [name, of] = others.length === 0 && node === "" ? [app, "app"] : [place, "environment"];
      return await questions.ask({
        title: `${verb} ${apps.join(", ")} in production?`,
        about: `${facts.host} serves ${place}. Type the name of the ${of} to go on.`,
        name,
        verb,
      });
    },
  };
}

/** When the last release of the environment that changed processes ended, in seconds. */
function watchReleased(
  api: Pick<Api, "releases">,
  feed: Pick<Feed, "state" | "applied" | "environment">,
): ReadonlySignal<number | undefined> {
  const released = signal<number | undefined>();
  const load = async (environment: string): Promise<void> => {
    // Without a list, the page offers no range since a release.
    const { releases = [] } = (await api.releases().catch(() => undefined)) ?? {};
    const last = releases.find(
      (one) => one.environment === environment && (one.outcome === "applied" || one.outcome === "half"),
    );
    const ended = Date.parse(last?.endedAt ?? "") / 1000;
    if (environment === feed.environment.peek()) released.value = Number.isNaN(ended) ? undefined : ended;
  };
  effect(() => {
    const environment = feed.environment.value;
    // Each step of a release may be its last one.
    void feed.applied.value;
    if (feed.state.value === "live") void load(environment);
  });
  return released;
}
