/** The record is written before and after each action; `nextMove` decides the next one. */
import type { FleetRollout } from "../../core/api/fleet-rollout.ts";
import { rolloutApply, rolloutRollback, SvcmError, type Ports } from "../../core/index.ts";
import {
  recordResponse,
  recordRequests,
  endRollout,
  nextMove,
  turnBack,
  type NodeResponse,
} from "../../core/nodes/rollout.ts";
import type { Fleet } from "../fleet.ts";
import { replace, type Held } from "./record.ts";

export interface Running {
  readonly fleet: Fleet;
  readonly ports: Ports;
  /** For each action of a node, and for an unreachable server. */
  readonly deadlineMs: number;
  /** Requests a stop after the current actions. */
  readonly signal: AbortSignal;
  readonly onChange: (rollout: FleetRollout) => void;
}

/** A request is repeated after this time; the node replies to the repetition with the result of the first request. */
const SLICE_MS = 30_000;
const AGAIN_MS = 500;

type Answered = NodeResponse & { readonly node: string };

/**
 * If the rollout cannot continue, the record has no holder and the lock stays.
 *
 * @throws {SvcmError} APPLY_LOCKED with ROLLOUT_MOVED_ON, FLEET_FAILED if the record cannot be written
 */
export async function run(running: Running, { rollout: begun, revision: first }: Held): Promise<FleetRollout> {
  const { fleet: link, ports, deadlineMs: patienceMs, signal, onChange } = running;
  const busy = new Map<string, Promise<Answered>>();
  let held: Held = { rollout: begun, revision: first };
  const journal = async (next: FleetRollout): Promise<void> => {
    held = await replace({ link, ports, patienceMs }, next, held.revision);
    onChange(next);
  };
  for (;;) {
    const move = nextMove(held.rollout, { busy: new Set(busy.keys()), isStopping: signal.aborted });
    if (move.do === "request") {
      await journal(recordRequests(held.rollout, move.nodes));
      for (const node of move.nodes) busy.set(node, answerOf(running, held, node));
    } else if (move.do === "wait") {
      const { node, ...answer } = await Promise.race(busy.values());
      busy.delete(node);
      await journal(recordResponse(held.rollout, node, answer));
    } else if (move.do === "turn-back") await journal(turnBack(held.rollout));
    else {
      await journal(endRollout(held.rollout, move.do === "end" ? move.outcome : null));
      return held.rollout;
    }
  }
}

/** Repeats the request, because a request or its reply can be lost. */
async function answerOf({ fleet, ports, deadlineMs }: Running, held: Held, node: string): Promise<Answered> {
  const until = ports.clock.elapsed() + deadlineMs;
  for (;;) {
    const leftMs = until - ports.clock.elapsed();
    try {
      const { release } = await act(fleet, held, node, Math.max(1, Math.min(SLICE_MS, leftMs)));
      return { node, release };
    } catch (error) {
      if (!(error instanceof SvcmError)) throw error;
      const { kind, message, body } = error;
      const mayComeLater = kind === "FLEET_FAILED" || kind === "SERVICE_BUSY" || body.code === "REQUEST_LATE";
      if (!mayComeLater || leftMs <= AGAIN_MS)
        return { node, kind, reason: message, ...(body.code && { code: body.code }) };
      await ports.clock.pause(AGAIN_MS);
    }
  }
}

function act(fleet: Fleet, { rollout, revision }: Held, node: string, timeoutMs: number) {
  const { id, holder, direction, choices, nodes } = rollout;
  const { step = 0, plan } = nodes.find((one) => one.node === node) ?? {};
  const fence = { rollout: id, step, holder: holder ?? "", revision };
  if (direction === "rollback") {
    const { timeoutMs: patienceMs, lockTimeoutMs } = choices;
    const input = { timeoutMs: patienceMs, lockTimeoutMs };
    return fleet.act(node, { operation: rolloutRollback, input, fence }, timeoutMs);
  }
  const input = { ...choices, ...(typeof plan === "string" && { plan }) };
  return fleet.act(node, { operation: rolloutApply, input, fence }, timeoutMs);
}
