import {
  describeError,
  failureCode,
  FileError,
  SvcmError,
  type Caller,
  type Identity,
  type Operation,
  type Ports,
  type RefusalLog,
} from "../core/index.ts";
import { errorStack } from "../core/words/thrown.ts";
import { quote } from "./render.ts";
import type { Tool } from "./tools.ts";

/** Asks another machine for what the caller may read there. */
export type AskNode = <Input, Output>(
  node: string,
  operation: Operation<Input, Output>,
  input: Input,
  caller: Identity,
) => Promise<Output>;

export interface CallContext {
  readonly ports: Ports;
  readonly askNode: AskNode;
  /** The folder of the installed pages. */
  readonly docs: string;
  readonly tools: readonly Tool[];
  readonly rate: CallRate;
  /** Gets what must not reach the program. */
  readonly log: (line: string) => void;
}

/** Every call leaves a record, whatever its outcome is. Without the record there is no answer. */
export async function recorded<T extends object>(
  context: CallContext,
  caller: Caller,
  name: string,
  work: () => Promise<T>,
): Promise<T | { readonly refusal: unknown }> {
  const { ports, rate } = context;
  const startedAt = ports.clock.elapsed();
  // The refusals of a flood are counted, not written one by one.
  if (!rate.admits(caller.actor ?? "", startedAt)) return { refusal: await refuseFlood(context, caller, name) };
  try {
    const answer = await work();
    await record(ports, caller, { name, startedAt });
    return answer;
  } catch (error) {
    if (!(error instanceof SvcmError)) context.log(`mcp ${quote(name, 64)}: ${errorStack(error)}`);
    const unrecorded = await record(ports, caller, { name, startedAt, error }).then(
      () => error,
      (failure: unknown) => failure,
    );
    return { refusal: unrecorded };
  }
}

async function refuseFlood({ rate }: CallContext, caller: Caller, name: string): Promise<SvcmError> {
  await rate.refusals.record({ ...recordOf(caller, name), address: "", code: "RATE_LIMITED" });
  return new SvcmError("RATE_LIMITED", { details: rate.accepted });
}

interface CallOutcome {
  readonly name: string;
  readonly startedAt: number;
  readonly error?: unknown;
}

function recordOf({ actor, source, client }: Caller, name: string) {
  return {
    action: "mcp.call",
    target: quote(name, 64).slice(1, -1),
    source,
    ...(actor !== undefined && { actor }),
    ...(client !== undefined && { client }),
  };
}

/** @throws {SvcmError} AUDIT_FAILED */
async function record(ports: Ports, caller: Caller, { name, startedAt, error }: CallOutcome): Promise<void> {
  const isRefused = error !== undefined && describeError(error).status < 500;
  try {
    await ports.audit.append({
      id: ports.host.randomId(),
      timestamp: new Date(ports.clock.now()).toISOString(),
      ...recordOf(caller, name),
      outcome: error === undefined ? "succeeded" : isRefused ? "refused" : "failed",
      ...(error !== undefined && { code: failureCode(error) }),
      ms: Math.round(ports.clock.elapsed() - startedAt),
    });
  } catch (failure) {
    if (!(failure instanceof FileError)) throw failure;
    throw new SvcmError("AUDIT_FAILED", {
      code: failure.code,
      details: `The call could not be recorded: ${failure.message}`,
    });
  }
}

const WINDOW_MS = 60_000;
const MAX_CALLS = 120;
const MAX_ACTORS = 1_000;

/** Of each token or system user, over all of its connections to this process. */
export class CallRate {
  readonly refusals: RefusalLog;
  readonly accepted = `Accepted: ${MAX_CALLS} calls a minute.`;
  readonly #calls = new Map<string, number[]>();

  constructor(refusals: RefusalLog) {
    this.refusals = refusals;
  }

  /** @param nowMs of a monotonic clock */
  admits(actor: string, nowMs: number): boolean {
    const recent = (this.#calls.get(actor) ?? []).filter((at) => at > nowMs - WINDOW_MS);
    const isAdmitted = recent.length < MAX_CALLS;
    if (isAdmitted) recent.push(nowMs);
    this.#calls.delete(actor);
    this.#calls.set(actor, recent);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > MAX_ACTORS && oldest !== undefined) this.#calls.delete(oldest);
    return isAdmitted;
  }
}
