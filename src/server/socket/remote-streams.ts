import { setTimeout as pause } from "node:timers/promises";
import { logsRead, metricsShow, type Identity, type LogBatch, type Operation, type Ports } from "../../core/index.ts";
import { toJson } from "../response.ts";
import type { Fleet } from "../fleet.ts";
import type { Peer } from "./peer.ts";
import { SharedMessage } from "./shared-message.ts";
import { reportErrors, type StreamContext, type MetricsSubscription } from "./subscription.ts";

/** Nodes do not push, so the server polls them while a client listens. */
export const NODE_POLL_MS = 2_000;
const MAX_LINES = 500;

type Ask = <Input, Output>(operation: Operation<Input, Output>, input: Input) => Promise<Output>;

/** Reports a failure and continues polling. */
export async function streamNodeMetrics(
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

export function nodeLogs(ask: Ask): Pick<Ports["logs"], "watch"> {
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

export function nodeAsk(fleet: Fleet, node: string, caller: Identity): Ask {
  return (operation, input) => fleet.askAs(node, operation, input, caller);
}

/** @returns false if the signal is aborted */
async function waitForPoll(signal: AbortSignal): Promise<boolean> {
  await pause(NODE_POLL_MS, undefined, { signal }).catch(() => undefined);
  return !signal.aborted;
}
