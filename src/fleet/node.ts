import { inputs } from "../core/api/inputs.ts";
import { parseInput } from "../core/api/parse.ts";
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
} from "../core/index.ts";
import { parseJson } from "../core/words/json-text.ts";
import { isToAsker, requireAsker } from "./asker.ts";
import { identityOf, narrowed, permitted } from "./identity.ts";
import type { FleetLink, Incoming } from "./link.ts";
import { Once } from "./once.ts";
import { sentOf } from "./operations.ts";
import type { NatsProject } from "./settings.ts";
import { addressOf, kindOfAccess, subjectsOfNode, type Address } from "./subjects.ts";
import { releaseIn, RunningSteps, stepOf } from "./rollout/step.ts";
import { encode, MOST_DEPTH, MOST_REQUEST_BYTES, requestSchema, type Reply, type Request } from "./wire.ts";

const MOST_AT_ONCE = 32;

export interface NodeOptions {
  readonly node: string;
  readonly version: string;
  readonly ports: Ports;
  readonly link: FleetLink;
  /** Read for each request, because svcm.yaml may change. */
  readonly nats: () => Promise<NatsProject | undefined>;
  readonly refusals: RefusalLog;
  readonly onDefect: (error: unknown) => void;
}

/**
 * Uses the same schemas, rights, refusals and records as HTTP. The NATS server vouches for the user in the subject,
 * and `svcm.yaml` has the user's role and limits.
 */
export function serveNode(options: NodeOptions): { readonly settled: () => Promise<void> } {
  const { node, link } = options;
  const state = { once: new Once(() => options.ports.clock.now()), steps: new RunningSteps() };
  const running = new Set<Promise<void>>();
  link.serve(subjectsOfNode(node), `svcm-${node}`, (message) => {
    const answering = answer(options, state, message, running.size >= MOST_AT_ONCE)
      .then((reply) => {
        if (isToAsker(message)) message.respond(fitting(reply, link.maxBytes));
      })
      .catch(options.onDefect)
      .finally(() => running.delete(answering));
    running.add(answering);
  });
  return { settled: async () => void (await Promise.all(running)) };
}

interface State {
  readonly once: Once;
  readonly steps: RunningSteps;
}

async function answer(options: NodeOptions, state: State, message: Incoming, isBusy: boolean): Promise<Reply> {
  const address = addressOf(message.subject);
  const { clock } = options.ports;
  try {
    if (isBusy) throw new SvcmError("SERVICE_BUSY", { details: `Accepted: ${MOST_AT_ONCE} requests at a time.` });
    return {
      ok: true,
      now: clock.now(),
      result: sentOf(options.ports, await carryOut(options, state, message, address)),
    };
  } catch (error) {
    if (!(error instanceof SvcmError)) options.onDefect(error);
    const kind = error instanceof SvcmError ? error.kind : "DEFECT";
    return { ok: false, now: clock.now(), kind, error: describeError(error).body };
  }
}

async function carryOut(
  options: NodeOptions,
  { once, steps }: State,
  message: Incoming,
  address?: Address,
): Promise<unknown> {
  const { node, ports, nats } = options;
  let hasBegun = false;
  let actor: string | undefined;
  try {
    actor = requireAsker(message);
    const operation = operationAt(address, node);
    const user = permitted(identityOf(await nats(), address?.user ?? ""), operation);
    const request = readRequest(message.data, operation);
    const identity = narrowed(user, request.asker);
    ({ actor } = identity);
    // The metrics of a machine contain its own version of svcm, not that of the asker.
    const given = operation.id === "metrics.expose" ? { ...request.input, version: options.version } : request.input;
    const input = parseInput(inputs[operation.id], given, operation.refusal);
    if (kindOfAccess(operation.access) === "write") once.take(request);
    hasBegun = true;
    const run = (step?: RolloutStep): Promise<unknown> =>
      execute(operation, ports, boundedOf(operation.id, input) as never, {
        ...identity,
        source: "nats",
        ...(step && { step }),
      });
    if (request.rollout === undefined) return await run();
    const step = stepOf(request.rollout, { node, user: user.actor ?? "", operation: operation.id, link: options.link });
    return releaseIn(await steps.join(step, () => run(step)));
  } catch (error) {
    if (error instanceof SvcmError && (!hasBegun || isOfIdentity(error)))
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
function isOfIdentity({ body: { code }, kind }: SvcmError): boolean {
  return kind === "UNAUTHORIZED" || code === "RIGHT_MISSING" || code === "TOKEN_LIMITED";
}

/** @throws {SvcmError} NOT_FOUND */
function operationAt(address: Address | undefined, node: string): Operation<never, unknown> {
  const operation = remoteOperations.find(({ id }) => id === address?.id);
  if (operation !== undefined && address?.node === node && address.kind === kindOfAccess(operation.access))
    return operation;
  throw new SvcmError("NOT_FOUND", {
    code: "OPERATION_UNKNOWN",
    details: `This node does not answer ${address?.id ?? "it"}: it runs another version of svcm, or the request is only possible on the node itself.`,
  });
}

/** @throws {SvcmError} PAYLOAD_TOO_LARGE, INVALID_PAYLOAD */
function readRequest(data: Uint8Array, { refusal }: Operation<never, unknown>): Request {
  if (data.length > MOST_REQUEST_BYTES)
    throw new SvcmError("PAYLOAD_TOO_LARGE", { details: `Accepted: at most ${MOST_REQUEST_BYTES} bytes.` });
  return parseInput(requestSchema, parseJson(data, MOST_DEPTH, "request"), refusal);
}

/** Logs may be large, and the CPU time of the node belongs to its processes. */
function boundedOf(id: string, input: object): object {
  return id === "logs.read" ? { ...input, isBounded: true } : input;
}

/** The server would drop a larger message, and the asker would wait until its deadline. */
function fitting(reply: Reply, maxBytes: number): Uint8Array {
  const bytes = encode(reply);
  if (bytes.length <= maxBytes) return bytes;
  const error = new SvcmError("PAYLOAD_TOO_LARGE", {
    code: "ANSWER_TOO_LARGE",
    details: `The answer has ${bytes.length} bytes, and the NATS server carries ${maxBytes}. Narrow the request, for example with --limit, or raise max_payload of the server.`,
  });
  return encode({ ok: false, now: reply.now, kind: error.kind, error: describeError(error).body });
}
