import { interval } from "../../core/api/channel.ts";
import type { EventsSubscribeFrame, LogsSubscribeFrame, SubscribeFrame } from "../../core/api/frames.ts";
import type { Identity } from "../../core/index.ts";
import { streamLogs } from "./log-stream.ts";
import type { Peer } from "./peer.ts";
import { nodeAsk, nodeLogs, NODE_POLL_MS, streamNodeMetrics } from "./remote-streams.ts";
import type { SessionContext } from "./session-context.ts";
import { streamMetrics, streamEvents, type MetricsSubscription } from "./subscription.ts";

type StreamFrame = SubscribeFrame | LogsSubscribeFrame | EventsSubscribeFrame;

/** At most one subscription of each kind. */
export class Streams {
  readonly #peer: Peer;
  readonly #context: SessionContext;
  readonly #controllers = new Map<StreamFrame["type"], AbortController>();
  #subscribed: MetricsSubscription | undefined;

  constructor(peer: Peer, context: SessionContext) {
    this.#peer = peer;
    this.#context = context;
  }

  get subscribed(): MetricsSubscription | undefined {
    return this.#subscribed;
  }

  /**
   * Returns a function that starts the stream.
   *
   * @throws {SvcmError} if the caller lacks the right, or the request is invalid
   */
  async prepare(frame: StreamFrame, identity: Identity): Promise<() => void> {
    const context = this.#context;
    switch (frame.type) {
      case "subscribe": {
        const { asyncContext = false, history = true, service, node } = frame;
        const target = { environment: frame.environment, service };
        await context.requireWatchAccess(identity, target);
        const environment = await context.telemetry.environment(target);
        const intervalMs = node === undefined ? (frame.intervalMs ?? interval.default) : NODE_POLL_MS;
        return () => this.#watch({ environment, service, intervalMs, asyncContext, history, node }, identity);
      }
      case "logs.subscribe": {
        await context.requireLogAccess(identity);
        const { node } = frame;
        const logs = node === undefined ? context.logs : nodeLogs(nodeAsk(context.fleet, node, identity));
        return () => void streamLogs({ ...context, logs }, this.#peer, frame, this.#restart(frame.type));
      }
      case "events.subscribe": {
        const { apps = [], cause, requestId } = frame;
        return () => {
          const signal = this.#restart(frame.type);
          this.#peer.send({ type: "events.subscribed", requestId });
          void streamEvents(context, this.#peer, { apps, cause }, signal);
        };
      }
    }
  }

  stop(type: StreamFrame["type"]): void {
    this.#controllers.get(type)?.abort();
    if (type === "subscribe") this.#subscribed = undefined;
  }

  stopAll(): void {
    for (const stop of this.#controllers.values()) stop.abort();
  }

  #watch(subscribed: MetricsSubscription, identity: Identity): void {
    const signal = this.#restart("subscribe");
    this.#subscribed = subscribed;
    const { environment, intervalMs, node } = subscribed;
    const context = this.#context;
    this.#peer.send({ type: "subscribed", environment, intervalMs });
    if (node === undefined) {
      context.rollouts.listen((frame) => this.#peer.send(frame), signal);
      void streamMetrics(context, this.#peer, subscribed, signal);
    } else {
      void streamNodeMetrics(context, nodeAsk(context.fleet, node, identity), this.#peer, subscribed, signal);
    }
  }

  #restart(type: StreamFrame["type"]): AbortSignal {
    this.#controllers.get(type)?.abort();
    const stop = new AbortController();
    this.#controllers.set(type, stop);
    return stop.signal;
  }
}
