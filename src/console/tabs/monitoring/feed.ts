import { batch, effect, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import {
  connect,
  ServiceError,
  type Action,
  type ActionResult,
  type ApplyFrame,
  type Client,
  type ConnectionState,
  type ErrorFrame,
  type HistoryFrame,
  type HostMetrics,
  type LogsFrame,
  type MetricsFrame,
  type SvcmEvent,
  type WatchFrame,
} from "../../../client/index.ts";
import { interval } from "../../../core/api/channel.ts";
import type { ServerWatch } from "../../state/server-watch.ts";
import type { Session } from "../../state/session.ts";
import { LogStreams } from "../logs/log-streams.ts";
import { LiveSamples } from "./live-samples.ts";
import { isUnauthorized, toRefusal, UNAUTHORIZED, unauthorizedOr, type Refusal } from "./refusal.ts";

export type Metrics = MetricsFrame["payload"];

export interface Sample {
  /** In seconds. */
  readonly time: number;
  readonly host: HostMetrics;
  /** Absent while PM2 cannot be read. */
  readonly metrics?: Metrics;
  readonly refusal?: Refusal;
}

export interface FeedOptions {
  readonly url: string;
  readonly session: Session;
  /** Confirmed before each connection, because the token belongs to that server. */
  readonly server: Pick<ServerWatch, "confirm">;
  readonly environment: string;
  /** Empty for every service. */
  readonly service: ReadonlySignal<string>;
  /** Empty for the machine of the server. */
  readonly node: string;
  readonly nextFrame: (draw: () => void) => void;
  readonly onState: (state: ConnectionState) => void;
}

export class Feed {
  readonly state = signal<ConnectionState>("closed");
  /** Set in animation frames, which a hidden page does not get. */
  readonly displayed = signal<Sample | undefined>();
  readonly newest = signal<Sample | undefined>();
  /** No sample arrives, though the page wants them. */
  readonly isLost = watchLoss(this);
  readonly refusal = signal<Refusal | undefined>();
  readonly applied = signal<ApplyFrame | undefined>();
  readonly samples = new LiveSamples();
  readonly event = signal<SvcmEvent | undefined>();
  readonly environment: Signal<string>;
  readonly asyncContext = signal(false);
  readonly isPaused = signal(false);
  /** Seconds between the screen and the newest sample. */
  readonly secondsBehind = signal(0);
  readonly #options: FeedOptions;
  #client: Client | undefined;
  readonly #logs = new LogStreams({
    connect: (onState) => this.#connect(onState),
    mayFollow: () => this.#openCount > 0,
    demandToken: () => this.#demandToken(),
  });
  #arrivedAt: number | undefined;
  #pm2Refusal: Refusal | undefined;
  #isDrawing = false;
  #openCount = 0;

  constructor(options: FeedOptions) {
    this.#options = options;
    this.environment = signal(options.environment);
  }

  /** The feed stays open until each caller has closed it. */
  open(): () => void {
    this.#openCount += 1;
    if (this.#openCount === 1) this.reconnect();
    return () => {
      this.#openCount -= 1;
      if (this.#openCount > 0) return;
      this.#client?.close();
      this.#client = undefined;
      this.#logs.renew();
      this.state.value = "closed";
    };
  }

  /** Begins every stream again: the samples, the events and each log. */
  reconnect(): void {
    this.#client?.close();
    const client = this.#connect((next) => {
      if (client !== this.#client) return;
      this.state.value = next;
      // A lost network may not close the sockets of the logs.
      if (next === "connecting") this.#logs.renew();
      this.#options.onState(next);
    });
    this.#client = client;
    this.state.value = "connecting";
    this.#logs.renew();
    void this.#watch(client);
    // Another machine sends no events.
    if (this.#options.node === "") void this.#followEvents(client);
  }

  #connect(onState: (state: ConnectionState) => void): Client {
    const { url, session, server } = this.#options;
    return connect({
      url,
      token: async () => {
        await server.confirm();
        return session.token();
      },
      onState,
      onApply: (step) => void (this.applied.value = step),
    });
  }

  /** A server that refuses the metrics refuses the events too, so the page reports only the former. */
  async #followEvents(client: Client): Promise<void> {
    try {
      for await (const event of client.events()) if (client === this.#client) this.event.value = event;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
    }
  }

  select(environment: string): void {
    if (environment === this.environment.peek()) return;
    this.environment.value = environment;
    this.subscribe();
  }

  subscribe(): void {
    this.#pm2Refusal = undefined;
    if (this.#client) void this.#watch(this.#client);
  }

  /** By the clock of this page; `undefined` before the first sample. */
  silentSeconds(): number | undefined {
    return this.#arrivedAt === undefined ? undefined : Math.floor((performance.now() - this.#arrivedAt) / 1000);
  }

  pause(paused: boolean): void {
    this.isPaused.value = paused;
    this.#draw();
  }

  logs(...[options, onState]: Parameters<LogStreams["follow"]>): AsyncGenerator<LogsFrame> {
    return this.#logs.follow({ ...options, ...this.#node() }, onState);
  }

  async act(action: Action): Promise<ActionResult> {
    for (;;) {
      if (this.#client === undefined) throw new Error("The tab was closed.");
      const hasToken = this.#hasToken();
      const result = await this.#client.act({ ...action, ...this.#target() }).catch(unauthorizedOr(action));
      const { code, error = UNAUTHORIZED } = result;
      if (result.ok || (code !== "UNAUTHORIZED" && error !== UNAUTHORIZED)) return result;
      if (!(await this.#options.session.demand({ error }, hasToken))) return result;
      this.reconnect();
    }
  }

  async #watch(client: Client): Promise<void> {
    const request = {
      environment: this.environment.value || undefined,
      ...this.#target(),
      intervalMs: interval.default,
      asyncContext: this.asyncContext.value,
      history: false,
      changes: true,
    };
    try {
      for await (const frame of client.watch(request)) if (client === this.#client) this.#receive(frame);
    } catch (error) {
      if (client !== this.#client) return;
      if (isUnauthorized(error) && (await this.#demandToken())) this.reconnect();
      else this.refusal.value = toRefusal(error);
    }
  }

  #target(): { readonly service?: string; readonly node?: string } {
    const service = this.#options.service.peek();
    return { ...(service !== "" && { service }), ...this.#node() };
  }

  #node(): { readonly node?: string } {
    const { node } = this.#options;
    return node === "" ? {} : { node };
  }

  #demandToken(): Promise<boolean> {
    return this.#options.session.demand({ error: UNAUTHORIZED }, this.#hasToken());
  }

  #hasToken(): boolean {
    return this.#options.session.token() !== undefined;
  }

  #receive(frame: WatchFrame): void {
    if (frame.type === "history") return;
    this.refusal.value = undefined;
    if (frame.type === "error") {
      const { code, details, error } = frame;
      this.#pm2Refusal = { code, details, ...(error !== undefined && { error }) };
      const { metrics: _, ...newest } = this.newest.value ?? {};
      if ("host" in newest) this.newest.value = { ...newest, refusal: this.#pm2Refusal };
      else this.refusal.value = this.#pm2Refusal;
    } else {
      if (frame.type === "metrics") this.#pm2Refusal = undefined;
      const next = this.#sampleOf(frame);
      this.newest.value = next;
      this.#arrivedAt = performance.now();
      this.samples.addHost(next.time, next.host);
      if (frame.type === "metrics") this.samples.addProcesses(next.time, frame.payload.processes);
    }
    if (!this.#isDrawing) this.#options.nextFrame(() => this.#draw());
    this.#isDrawing = true;
  }

  /** Keeps the previous processes until a refusal replaces them. */
  #sampleOf({ type, payload }: Exclude<WatchFrame, ErrorFrame | HistoryFrame>): Sample {
    const { collectedAt, host } = payload;
    const moment = { time: Date.parse(collectedAt) / 1000, host };
    if (type === "metrics") return { ...moment, metrics: filterByService(payload, this.#options.service.peek()) };
    if (this.#pm2Refusal) return { ...moment, refusal: this.#pm2Refusal };
    const metrics = this.newest.value?.metrics;
    return { ...moment, ...(metrics && { metrics }) };
  }

  #draw(): void {
    this.#isDrawing = false;
    const next = this.newest.value;
    if (next === undefined) return;
    batch(() => {
      if (!this.isPaused.value) this.displayed.value = next;
      this.secondsBehind.value = Math.round(next.time - (this.displayed.value?.time ?? next.time));
    });
  }
}

/** Shorter interruptions are not reported. The first connection may take longer over a slow network. */
const FIRST_DELAY_MS = 8_000;
const DELAY_MS = 1_500;

function watchLoss({ state, newest }: Pick<Feed, "state" | "newest">): ReadonlySignal<boolean> {
  const isLost = signal(false);
  effect(() => {
    const isFirst = newest.peek() === undefined;
    if (state.value !== "connecting" && !(state.value === "stale" && isFirst)) {
      isLost.value = state.value === "stale";
      return undefined;
    }
    const delayMs = isFirst ? FIRST_DELAY_MS : DELAY_MS;
    const timer = setTimeout(() => void (isLost.value = true), delayMs);
    return () => clearTimeout(timer);
  });
  return isLost;
}

/** Leaves out processes that the selected service does not declare. */
export function filterByService<Payload extends Pick<Metrics, "processes" | "ecosystem">>(
  payload: Payload,
  service: string,
): Payload {
  const foreign = new Set(service === "" ? [] : payload.ecosystem.unexpected);
  if (foreign.size === 0) return payload;
  return { ...payload, processes: payload.processes.filter(({ name }) => !foreign.has(name)) };
}
