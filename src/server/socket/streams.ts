import { interval } from "../../core/api/channel.ts";
import type { EventsSubscribeFrame, LogsSubscribeFrame, SubscribeFrame } from "../../core/api/frames.ts";
import { SvcmError, type Identity } from "../../core/index.ts";
import { streamLogs } from "./log-stream.ts";
import type { Peer } from "./peer.ts";
import { nodeAsk, nodeLogs, NODE_POLL_MS, streamNodeMetrics } from "./remote-streams.ts";
import type { SessionContext } from "./session-context.ts";
import { streamMetrics, streamEvents, type MetricsSubscription } from "./subscription.ts";

type StreamFrame = SubscribeFrame | LogsSubscribeFrame | EventsSubscribeFrame;

/** Looked up again at each call, because a token may be revoked, expire or be replaced. */
type CurrentIdentity = () => Identity;

interface Stream {
  readonly frame: StreamFrame;
  readonly identity: CurrentIdentity;
  readonly stop: AbortController;
}

/** At most one subscription of each kind. */
export class Streams {
  readonly #peer: Peer;
  readonly #context: SessionContext;
  readonly #streams = new Map<StreamFrame["type"], Stream>();
  #subscribed: MetricsSubscription | undefined;

  constructor(peer: Peer, context: SessionContext) {
    this.#peer = peer;
    this.#context = context;
  }

  get subscribed(): MetricsSubscription | undefined {
    return this.#subscribed;
  }

  /**
   * Returns a function that starts the stream, which then ends with the right of `identity`.
   *
   * @throws {SvcmError} if the caller lacks the right, or the request is invalid
   */
  async prepare(frame: StreamFrame, caller: Identity): Promise<(identity: CurrentIdentity) => void> {
    const context = this.#context;
    await this.#requireRight(frame, caller);
    switch (frame.type) {
      case "subscribe": {
        const { asyncContext = false, history = true, service, node } = frame;
        const environment = await context.telemetry.environment({ environment: frame.environment, service });
        const intervalMs = node === undefined ? (frame.intervalMs ?? interval.default) : NODE_POLL_MS;
        const subscribed = { environment, service, intervalMs, asyncContext, history, node };
        return (identity) => this.#watch(subscribed, caller, this.#restart(frame, identity));
      }
      case "logs.subscribe": {
        const { node } = frame;
        const logs = node === undefined ? context.logs : nodeLogs(nodeAsk(context.fleet, node, caller));
        return (identity) => void streamLogs({ ...context, logs }, this.#peer, frame, this.#restart(frame, identity));
      }
      case "events.subscribe": {
        const { apps = [], cause, requestId } = frame;
        return (identity) => {
          const signal = this.#restart(frame, identity);
          this.#peer.send({ type: "events.subscribed", requestId });
          void streamEvents(context, this.#peer, { apps, cause }, signal);
        };
      }
    }
  }

  stop(type: StreamFrame["type"]): void {
    this.#streams.get(type)?.stop.abort();
    this.#streams.delete(type);
    if (type === "subscribe") this.#subscribed = undefined;
  }

  /** Ends each stream whose caller has lost its right. */
  async revalidate(report: (refusal: SvcmError, identity: Identity, frame: StreamFrame) => void): Promise<void> {
    for (const [type, stream] of this.#streams) {
      const identity = stream.identity();
      try {
        await this.#requireRight(stream.frame, identity);
      } catch (error) {
        if (this.#streams.get(type) !== stream) continue;
        this.stop(type);
        if (!(error instanceof SvcmError)) throw error;
        report(error, identity, stream.frame);
      }
    }
  }

  /** @throws {SvcmError} */
  async #requireRight(frame: StreamFrame, identity: Identity): Promise<void> {
    if (!identity.grants.includes("read")) throw new SvcmError("UNAUTHORIZED");
    if (frame.type === "logs.subscribe") await this.#context.requireLogAccess(identity, frame);
    if (frame.type === "subscribe") await this.#context.requireWatchAccess(identity, frame);
  }

  stopAll(): void {
    for (const { stop } of this.#streams.values()) stop.abort();
  }

  #watch(subscribed: MetricsSubscription, caller: Identity, signal: AbortSignal): void {
    this.#subscribed = subscribed;
    const { environment, intervalMs, node } = subscribed;
    const context = this.#context;
    this.#peer.send({ type: "subscribed", environment, intervalMs });
    if (node === undefined) {
      context.rollouts.listen((frame) => this.#peer.send(frame), signal);
      void streamMetrics(context, this.#peer, subscribed, signal);
    } else {
      void streamNodeMetrics(context, nodeAsk(context.fleet, node, caller), this.#peer, subscribed, signal);
    }
  }

  #restart(frame: StreamFrame, identity: CurrentIdentity): AbortSignal {
    this.#streams.get(frame.type)?.stop.abort();
    const stop = new AbortController();
    this.#streams.set(frame.type, { frame, identity, stop });
    return stop.signal;
  }
}
