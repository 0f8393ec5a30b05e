import { setTimeout as pause } from "node:timers/promises";
import { interval } from "../../core/api/channel.ts";
import type { EventsSubscribeFrame, LogsSubscribeFrame, SubscribeFrame } from "../../core/api/frames.ts";
import {
  type Identity,
  type LogBatch,
  logsRead,
  metricsShow,
  type Operation,
  type Ports,
  SvcmError,
} from "../../core/index.ts";
import { streamLogs } from "./log-stream.ts";
import {
  type Peer,
  SharedMessage,
  type MetricsSubscription,
  reportErrors,
  type StreamContext,
  streamEvents,
  streamMetrics,
} from "./peer.ts";
import type { SessionContext } from "./session-context.ts";
import { toJson } from "../response.ts";
import type { Fleet } from "../fleet.ts";

/** Nodes do not push, so the server polls them while a client listens. */
const NODE_POLL_MS = 2_000;
const MAX_LINES = 500;

type Ask = <Input, Output>(operation: Operation<Input, Output>, input: Input) => Promise<Output>;

/** Reports a failure and continues polling. */
async function streamNodeMetrics(
  streaming: Pick<StreamContext, "log">,
  ask: Ask,
  peer: Peer,
  { environment, service, asyncContext }: MetricsSubscription,
  signal: AbortSignal,
): Promise<void> {
  do {
    await reportErrors(streaming, peer, async () => {
      const payload = await ask(metricsShow, { environment, service, asyncContext });
      if (!signal.aborted) peer.offer([new SharedMessage(toJson({ type: "metrics", payload }))]);
    });
  } while (await waitForPoll(signal));
}

function nodeLogs(ask: Ask): Pick<Ports["logs"], "watch"> {
  return {
    async *watch({ tail, isLossless: _isWhole, ...filter }, signal): AsyncGenerator<LogBatch, void, undefined> {
      const first = await ask(logsRead, { ...filter, limit: Math.max(1, tail) });
      const { older, problems } = first;
      yield { lines: tail === 0 ? [] : first.lines, skipped: 0, begin: { older, problems } };
      let after = first.newer ?? undefined;
      while (await waitForPoll(signal)) {
        const next = await ask(logsRead, { ...filter, after, limit: MAX_LINES });
        after = next.newer ?? after;
        if (next.lines.length > 0) yield { lines: next.lines, skipped: 0 };
      }
    },
  };
}

function nodeAsk(fleet: Fleet, node: string, caller: Identity): Ask {
  return (operation, input) => fleet.askAs(node, operation, input, caller);
}

/** @returns false if the signal is aborted */
async function waitForPoll(signal: AbortSignal): Promise<boolean> {
  await pause(NODE_POLL_MS, undefined, { signal }).catch(() => undefined);
  return !signal.aborted;
}

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
        const { asyncContext = false, history = true, changes = false, service, node } = frame;
        const environment = await context.telemetry.environment({ environment: frame.environment, service }, caller);
        const intervalMs = node === undefined ? (frame.intervalMs ?? interval.default) : NODE_POLL_MS;
        const subscribed = { environment, service, intervalMs, asyncContext, history, changes, node };
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
