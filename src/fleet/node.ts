import { inputs } from "../core/api/inputs.ts";
import { parseInput } from "../core/access/parse.ts";
import {
  describeError,
  execute,
  failureCode,
  remoteOperations,
  SvcmError,
  type Operation,
  type Ports,
  type RefusalLog,
  type RolloutStep,
  entityTag,
  type TaggedResponse,
  type NatsProject,
} from "../core/index.ts";
import { parseJson } from "../core/words/json.ts";
import { resolveIdentity, narrowIdentity, requireKnownUser } from "./identity.ts";
import type { FleetLink, Incoming } from "./link.ts";
import { Places } from "./settings.ts";
import {
  parseAddress,
  requestKind,
  nodeRequestSubjects,
  type Address,
  type RequestKind,
  encode,
  MAX_DEPTH,
  MAX_REQUEST_BYTES,
  MAX_WAIT_MS,
  requestSchema,
  type Reply,
  type Request,
} from "./subjects.ts";
import { pickRelease, RunningSteps, createRolloutStep } from "./rollout/step.ts";
import type { RolloutStore } from "./rollout/store.ts";

export interface NodeOptions {
  readonly node: string;
  readonly version: string;
  readonly ports: Ports;
  readonly link: Pick<FleetLink, "serve" | "maxBytes">;
  readonly rollouts: RolloutStore;
  /** Read for each request, because svcm.yaml may change. */
  readonly nats: () => Promise<NatsProject | undefined>;
  readonly refusals: RefusalLog;
  readonly onDefect: (error: unknown) => void;
}

export interface Serving {
  /** Requests are not received until `resume`. */
  pause(): void;
  resume(): void;
  /** Ends reads, and waits for changes. */
  close(): Promise<void>;
}

/**
 * Uses the same schemas, rights, refusals and records as HTTP. The NATS server vouches for the user in the subject,
 * and `svcm.yaml` has the user's role and limits.
 */
export function serveNode(options: NodeOptions): Serving {
  const { node, link } = options;
  const ending = new AbortController();
  const state: NodeState = {
    once: new ReplayGuard(() => options.ports.clock.now()),
    steps: new RunningSteps(),
    places: new Places(),
    ending: ending.signal,
  };
  const changes = new Set<Promise<void>>();
  const take = (message: Incoming): void => {
    const address = parseAddress(message.subject);
    const response = respond(options, state, message, address)
      .then((reply) => message.respond(encodeWithin(reply, link.maxBytes)))
      .catch((error: unknown) => {
        if (!ending.signal.aborted) options.onDefect(error);
      })
      .finally(() => changes.delete(response));
    if (address?.kind === "write") changes.add(response);
  };
  let stop: (() => void) | undefined;
  const resume = (): void => void (stop ??= link.serve(nodeRequestSubjects(node), `svcm-${node}`, take));
  const pause = (): void => {
    stop?.();
    stop = undefined;
  };
  resume();
  return {
    pause,
    resume,
    async close() {
      pause();
      ending.abort();
      await Promise.all(changes);
    },
  };
}

interface NodeState {
  readonly once: ReplayGuard;
  readonly steps: RunningSteps;
  readonly places: Places;
  readonly ending: AbortSignal;
}

async function respond(
  options: NodeOptions,
  state: NodeState,
  message: Incoming,
  address: Address | undefined,
): Promise<Reply> {
  const { clock } = options.ports;
  let leave: (() => void) | undefined;
  try {
    leave = state.places.take(placeOf(address), address?.user ?? "");
    const result = await handleRequest(options, state, message, address);
    return { ok: true, now: clock.now(), result: await withoutBytes(options.ports, result) };
  } catch (cause) {
    const error = state.ending.aborted && !(cause instanceof SvcmError) ? shuttingDown() : cause;
    if (!(error instanceof SvcmError)) options.onDefect(error);
    const kind = error instanceof SvcmError ? error.kind : "DEFECT";
    return { ok: false, now: clock.now(), kind, error: describeError(error).body };
  } finally {
    leave?.();
  }
}

/** Every change asks for the clock first, so that request has the place of a change. */
function placeOf(address: Address | undefined): RequestKind {
  return address?.id === "identity.show" ? "write" : (address?.kind ?? "read");
}

function shuttingDown(): SvcmError {
  return new SvcmError("SERVICE_BUSY", { details: "The node is shutting down." });
}

async function handleRequest(
  options: NodeOptions,
  { once, steps, ending }: NodeState,
  message: Incoming,
  address?: Address,
): Promise<unknown> {
  const { node, ports, nats } = options;
  let isAccepted = false;
  let actor: string | undefined;
  try {
    actor = address?.user;
    const operation = findOperation(address, node);
    const user = requireKnownUser(resolveIdentity(await nats(), address?.user ?? ""));
    const request = readRequest(message.data, operation);
    const identity = narrowIdentity(user, request.asker);
    ({ actor } = identity);
    // The metrics of a machine contain its own version of svcm, not that of the asker.
    const values = operation.id === "metrics.expose" ? { ...request.input, version: options.version } : request.input;
    const input = parseInput(inputs[operation.id], values, operation.refusal);
    const isRead = requestKind(operation.access) === "read";
    if (!isRead) once.accept(request);
    isAccepted = true;
    const run = (step?: RolloutStep): Promise<unknown> =>
      execute(operation, ports, boundInput(operation.id, input) as never, {
        ...identity,
        source: "nats",
        ...(isRead && { signal: ending }),
        ...(step && { step }),
      });
    if (request.rollout === undefined) return await run();
    const step = createRolloutStep(request.rollout, {
      node,
      user: user.actor ?? "",
      operation: operation.id,
      link: options,
    });
    return pickRelease(await steps.join(step, () => run(step)));
  } catch (error) {
    if (error instanceof SvcmError && (!isAccepted || isAccessRefusal(error)))
      await recordRefusal(options, address, actor, error);
    throw error;
  }
}

async function recordRefusal(
  { refusals }: NodeOptions,
  address: Address | undefined,
  actor: string | undefined,
  error: SvcmError,
): Promise<void> {
  const { id: action = "request" } = address ?? {};
  const who = actor === undefined ? {} : { actor };
  await refusals.record({ action, source: "nats", address: "", code: failureCode(error), ...who });
}

/** The core refuses these before the operation begins, so they are not recorded yet. */
function isAccessRefusal({ body: { code }, kind }: SvcmError): boolean {
  return kind === "UNAUTHORIZED" || code === "RIGHT_MISSING" || code === "TOKEN_LIMITED";
}

function findOperation(address: Address | undefined, node: string): Operation<never, unknown> {
  const operation = remoteOperations.find(({ id }) => id === address?.id);
  if (operation !== undefined && address?.node === node && address.kind === requestKind(operation.access))
    return operation;
  throw new SvcmError("NOT_FOUND", {
    code: "OPERATION_UNKNOWN",
    details: `This node does not answer ${address?.id ?? "it"}: it runs another version of svcm, or the request is only possible on the node itself.`,
  });
}

/** @throws {SvcmError} PAYLOAD_TOO_LARGE, INVALID_PAYLOAD */
function readRequest(data: Uint8Array, { refusal }: Operation<never, unknown>): Request {
  if (data.length > MAX_REQUEST_BYTES)
    throw new SvcmError("PAYLOAD_TOO_LARGE", { details: `Accepted: at most ${MAX_REQUEST_BYTES} bytes.` });
  return parseInput(requestSchema, parseJson(data, MAX_DEPTH, "request"), refusal);
}

/** Logs may be large, and the CPU time of the node belongs to its processes. A longer wait is several requests. */
function boundInput(id: string, input: object): object {
  if (id === "logs.read") return { ...input, isBounded: true };
  if (id !== "process.wait") return input;
  const { timeoutMs = MAX_WAIT_MS } = input as { readonly timeoutMs?: number };
  return { ...input, timeoutMs: Math.min(timeoutMs, MAX_WAIT_MS) };
}

/** The server would drop a larger message, and the asker would wait until its deadline. */
function encodeWithin(reply: Reply, maxBytes: number): Uint8Array {
  const bytes = encode(reply);
  if (bytes.length <= maxBytes) return bytes;
  const error = new SvcmError("PAYLOAD_TOO_LARGE", {
    code: "ANSWER_TOO_LARGE",
    details: `The answer has ${bytes.length} bytes, and the NATS server carries ${maxBytes}. Narrow the request, for example with --limit.`,
  });
  return encode({ ok: false, now: reply.now, kind: error.kind, error: describeError(error).body });
}

/** For an env file, only the visible part and the entity tag leave the machine, never the bytes. */
export async function withoutBytes(ports: Ports, output: unknown): Promise<unknown> {
  if (!isEnvRead(output)) return output;
  return { response: output.response, entityTag: await entityTag(ports, output.bytes) };
}

function isEnvRead(output: unknown): output is TaggedResponse<unknown> {
  return typeof output === "object" && output !== null && "bytes" in output && "response" in output;
}

/** An id is kept as long as its request could be valid. */
const MAX_AHEAD_MS = 3_600_000;

/** Protects against repeated and delayed writes, by the clock of this machine. */
class ReplayGuard {
  readonly #now: () => number;
  readonly #seen = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** @throws {SvcmError} INVALID_REQUEST if the request has no id or time, is late or is a repetition */
  accept({ id, notAfter }: Request): void {
    const now = this.#now();
    for (const [other, until] of this.#seen) if (until < now) this.#seen.delete(other);
    if (id === undefined || notAfter === undefined || notAfter > now + MAX_AHEAD_MS)
      throw new SvcmError("INVALID_REQUEST", {
        details: "A change needs an id and notAfter, at most an hour ahead of the clock of the node.",
      });
    if (notAfter < now)
      throw new SvcmError("INVALID_REQUEST", {
        code: "REQUEST_LATE",
        details: "The request arrived too late, so nothing was changed. Send it again if you still want it.",
      });
    if (this.#seen.has(id))
      throw new SvcmError("INVALID_REQUEST", {
        code: "REQUEST_REPEATED",
        details: "The node has received this request before, and carries out each request once.",
      });
    this.#seen.set(id, notAfter);
  }
}
