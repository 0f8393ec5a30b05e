import { batch, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import {
  connect,
  OutcomeUnknownError,
  ServiceError,
  type Action,
  type ActionResult,
  type Client,
  type ConnectionState,
  type ErrorFrame,
  type HostMetrics,
  type MetricsFrame,
  type WatchFrame,
} from "../../../client/index.ts";
import { interval } from "../../../core/api/channel.ts";
import type { ServerWatch } from "../../state/server-watch.ts";
import type { Session } from "../../state/session.ts";
import { createHistory, type History } from "./history.ts";

export type Metrics = MetricsFrame["payload"];
export type Refusal = Pick<ErrorFrame, "code" | "details" | "error">;

/** What is on the screen: one moment, whole. */
export interface Shown {
  readonly collectedAt: string;
  /** In seconds. */
  readonly time: number;
  readonly host: HostMetrics;
  /** Absent while PM2 cannot be read; it is never made up. */
  readonly metrics?: Metrics;
  /** Why there are none. */
  readonly refusal?: Refusal;
}

/** The live metrics of the tab, from its opening to its leaving. */
export interface Feed {
  readonly state: ReadonlySignal<ConnectionState>;
  /** Written in animation frames only, so that a hidden page draws nothing. */
  readonly shown: ReadonlySignal<Shown | undefined>;
  /** The newest sample. Unlike {@link shown} it does not wait for an animation frame, which a hidden page never gets. */
  readonly newest: ReadonlySignal<Shown | undefined>;
  /** Seconds since a sample came, by the clock of this page; `undefined` before the first one. */
  silentSeconds(): number | undefined;
  /** The service refused the subscription. */
  readonly refusal: ReadonlySignal<Refusal | undefined>;
  readonly history: History;
  readonly environment: Signal<string>;
  readonly intervalMs: Signal<number>;
  readonly asyncContext: Signal<boolean>;
  /** Values go on being kept, and the screen stands still. */
  readonly isPaused: ReadonlySignal<boolean>;
  /** Seconds between the screen and the newest sample. */
  readonly secondsBehind: ReadonlySignal<number>;
  pause(paused: boolean): void;
  /** Connects. @returns leaves */
  open(): () => void;
  /** Subscribes anew, after a change of the signals above. */
  subscribe(): void;
  /** Connects at once instead of after a while. */
  tryNow(): void;
  act(action: Action): Promise<ActionResult>;
}

export interface FeedOptions {
  readonly url: string;
  readonly session: Session;
  /** Asked before each attempt to connect: the token is for the server that this page works with. */
  readonly server: Pick<ServerWatch, "confirm">;
  /** Empty where there is none to begin with. */
  readonly environment: string;
  /** In the browser, `requestAnimationFrame`. */
  readonly nextFrame: (draw: () => void) => void;
  readonly onState: (state: ConnectionState) => void;
}

export function createFeed(options: FeedOptions): Feed {
  return new ChannelFeed(options);
}

class ChannelFeed implements Feed {
  readonly state = signal<ConnectionState>("closed");
  readonly shown = signal<Shown | undefined>();
  readonly newest = signal<Shown | undefined>();
  readonly refusal = signal<Refusal | undefined>();
  readonly history = createHistory();
  readonly environment: Signal<string>;
  readonly intervalMs = signal<number>(interval.default);
  readonly asyncContext = signal(false);
  readonly isPaused = signal(false);
  readonly secondsBehind = signal(0);
  readonly #options: FeedOptions;
  #client: Client | undefined;
  #arrived: number | undefined;
  /** Why PM2 cannot be read. It is shown beside the host's values until metrics come again. */
  #pm2Refusal: Refusal | undefined;
  #isDrawing = false;

  constructor(options: FeedOptions) {
    this.#options = options;
    this.environment = signal(options.environment);
  }

  open(): () => void {
    this.tryNow();
    return () => {
      this.#client?.close();
      this.#client = undefined;
      this.state.value = "closed";
    };
  }

  tryNow(): void {
    this.#client?.close();
    const { url, session, server, onState } = this.#options;
    const client = connect({
      url,
      token: async () => {
        await server.confirm();
        return session.token();
      },
      onState: (next) => {
        if (client !== this.#client) return;
        this.state.value = next;
        onState(next);
      },
    });
    this.#client = client;
    this.state.value = "connecting";
    void this.#watch(client);
  }

  subscribe(): void {
    this.#pm2Refusal = undefined;
    if (this.#client) void this.#watch(this.#client);
  }

  silentSeconds(): number | undefined {
    return this.#arrived === undefined ? undefined : Math.floor((performance.now() - this.#arrived) / 1000);
  }

  pause(paused: boolean): void {
    this.isPaused.value = paused;
    this.#draw();
  }

  async act(action: Action): Promise<ActionResult> {
    const { session } = this.#options;
    for (;;) {
      if (this.#client === undefined) throw new Error("The tab was left.");
      const hasToken = session.token() !== undefined;
      const result = await this.#client.act(action).catch(unauthorizedOr(action));
      if (result.ok || !isRefusedForToken(result)) return result;
      if (!(await session.demand({ error: result.error ?? UNAUTHORIZED }, hasToken))) return result;
      this.tryNow();
    }
  }

  async #watch(client: Client): Promise<void> {
    const { session } = this.#options;
    const { environment, intervalMs, asyncContext } = this;
    const asked = {
      environment: environment.value || undefined,
      intervalMs: intervalMs.value,
      asyncContext: asyncContext.value,
    };
    try {
      for await (const frame of client.watch(asked)) if (client === this.#client) this.#take(frame);
    } catch (error) {
      if (client !== this.#client) return;
      const hasToken = session.token() !== undefined;
      if (isUnauthorized(error) && (await session.demand({ error: UNAUTHORIZED }, hasToken))) return this.tryNow();
      this.refusal.value = refusalOf(error);
    }
  }

  #take(frame: WatchFrame): void {
    this.refusal.value = undefined;
    if (frame.type === "error") {
      const { code, details, error } = frame;
      this.#pm2Refusal = { code, details, ...(error !== undefined && { error }) };
      const { metrics: _, ...newest } = this.newest.value ?? {};
      if ("host" in newest) this.newest.value = { ...newest, refusal: this.#pm2Refusal };
    } else {
      if (frame.type === "metrics") this.#pm2Refusal = undefined;
      const next = shownOf(frame, this.#pm2Refusal, this.newest.value?.metrics);
      this.newest.value = next;
      this.#arrived = performance.now();
      this.history.addHost(next.time, next.host);
      if (frame.type === "metrics") this.history.addProcesses(next.time, frame.payload.processes);
    }
    if (!this.#isDrawing) this.#options.nextFrame(() => this.#draw());
    this.#isDrawing = true;
  }

  #draw(): void {
    this.#isDrawing = false;
    const next = this.newest.value;
    if (next === undefined) return;
    batch(() => {
      if (!this.isPaused.value) this.shown.value = next;
      this.secondsBehind.value = Math.round(next.time - (this.shown.value?.time ?? next.time));
    });
  }
}

/** @param known the processes of the sample before: they stay until it is known why there are none */
function shownOf(
  frame: Exclude<WatchFrame, ErrorFrame>,
  refusal: Refusal | undefined,
  known: Metrics | undefined,
): Shown {
  const { collectedAt, host } = frame.payload;
  const time = Date.parse(collectedAt) / 1000;
  if (frame.type === "metrics") return { collectedAt, time, host, metrics: frame.payload };
  if (refusal) return { collectedAt, time, host, refusal };
  return { collectedAt, time, host, ...(known && { metrics: known }) };
}

const UNAUTHORIZED = "Unauthorized.";

function isRefusedForToken({ code, error }: ActionResult): boolean {
  return code === "UNAUTHORIZED" || error === UNAUTHORIZED;
}

/** A connection that is refused for its token is, to an action, what a refused action is. */
function unauthorizedOr({ action, scope = "process", name = "" }: Action): (error: unknown) => ActionResult {
  return (error) => {
    if (!isUnauthorized(error)) throw error;
    return { type: "action-result", ok: false, action, scope, name, code: "UNAUTHORIZED", error: UNAUTHORIZED };
  };
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof ServiceError && error.code === "UNAUTHORIZED";
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof ServiceError) return { code: error.code, details: error.message };
  return { code: "CLIENT", details: error instanceof Error ? error.message : String(error) };
}

/** What an action that failed without a result says. */
export function failureOf(error: unknown): { readonly code?: string; readonly error: string } {
  if (error instanceof OutcomeUnknownError) return { error: error.message };
  const { code, details } = refusalOf(error);
  return { code, error: details };
}
