import { inputs } from "../core/api/inputs.ts";
import { parseInput } from "../core/api/parse.ts";
import { rights } from "../core/api/rights.ts";
import {
  describeError,
  execute,
  failureCode,
  isGranted,
  missingRight,
  remoteOperations,
  rightsOf,
  SvcmError,
  type Identity,
  type Operation,
  type Ports,
  type Refusals,
  type RolloutStep,
} from "../core/index.ts";
import { parseJson } from "../core/words/json-text.ts";
import { isToAsker, requireAsker } from "./asker.ts";
import type { FleetLink, Incoming } from "./link.ts";
import { sentOf } from "./operations.ts";
import type { NatsProject } from "./settings.ts";
import { addressOf, kindOf, subjectsOfNode, type Address } from "./subjects.ts";
import { releaseIn, RunningSteps, stepOf } from "./rollout/step.ts";
import { encode, MOST_DEPTH, MOST_REQUEST_BYTES, requestSchema, type Asker, type Reply, type Request } from "./wire.ts";

const MOST_AT_ONCE = 32;
/** An id is remembered as long as its request could still be carried out. */
const LONGEST_MS = 3_600_000;

export interface NodeOptions {
  readonly node: string;
  /** Of svcm. */
  readonly version: string;
  readonly ports: Ports;
  readonly link: FleetLink;
  /** Read for each request, because svcm.yaml may change. */
  readonly nats: () => Promise<NatsProject | undefined>;
  readonly refusals: Refusals;
  readonly onDefect: (error: unknown) => void;
}

/**
 * Answers the requests for this machine: the same schemas, rights, refusals and records as over HTTP. The NATS server
 * vouches for the user in the subject, and `svcm.yaml` has the user's role and limits.
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
    // The metrics of a machine name its own svcm, not that of the asker.
    const given = operation.id === "metrics.expose" ? { ...request.input, version: options.version } : request.input;
    const input = parseInput(inputs[operation.id], given, operation.refusal);
    if (kindOf(operation.access) === "write") once.take(request);
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

/** @throws {SvcmError} RIGHT_MISSING for a user that svcm.yaml does not name */
function permitted(user: Identity, { access }: Pick<Operation<never, unknown>, "access">): Identity {
  if (user.role === undefined) throw missingRight(user, access);
  return user;
}

async function recordRefusal(
  { refusals }: NodeOptions,
  address: Address | undefined,
  actor: string | undefined,
  error: SvcmError,
): Promise<void> {
  const { id: action = "request" } = address ?? {};
  const who = actor === undefined ? {} : { actor };
  await refusals.refused({ action, source: "nats", address: "", code: failureCode(error), ...who });
}

/** The core refuses these before the operation begins, so they have no record yet. */
function isOfIdentity({ body: { code }, kind }: SvcmError): boolean {
  return kind === "UNAUTHORIZED" || code === "RIGHT_MISSING" || code === "TOKEN_LIMITED";
}

/** @throws {SvcmError} NOT_FOUND */
function operationAt(address: Address | undefined, node: string): Operation<never, unknown> {
  const operation = remoteOperations.find(({ id }) => id === address?.id);
  if (operation !== undefined && address?.node === node && address.kind === kindOf(operation.access)) return operation;
  throw new SvcmError("NOT_FOUND", {
    code: "OPERATION_UNKNOWN",
    details: `This node does not answer ${address?.id ?? "it"}: it has another version of svcm, or no other machine may ask for it.`,
  });
}

function identityOf(nats: NatsProject | undefined, user: string): Identity {
  const known = nats !== undefined && Object.hasOwn(nats.users, user) ? nats.users[user] : undefined;
  if (known === undefined) return { actor: user, grants: [] };
  const { role, environments, services } = known;
  const isLimited = environments !== undefined || services !== undefined;
  return { actor: user, role, grants: rightsOf[role], ...(isLimited && { limits: { environments, services } }) };
}

/** A user that asks for another caller, as a server does, has only the rights of both. */
function narrowed(user: Identity, asker: Asker | undefined): Identity {
  if (asker === undefined) return user;
  const { actor, grants, environments, services } = asker;
  const limits = {
    environments: inBoth(user.limits?.environments, environments),
    services: inBoth(user.limits?.services, services),
  };
  const isLimited = limits.environments !== undefined || limits.services !== undefined;
  const granted = rights.filter((right) => isGranted(user.grants, right) && isGranted(grants, right));
  return {
    ...user,
    actor: `${actor} via ${user.actor}`,
    grants: granted,
    ...(isLimited && { limits }),
  };
}

function inBoth(
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): readonly string[] | undefined {
  return one === undefined || other === undefined ? (one ?? other) : one.filter((name) => other.includes(name));
}

/** @throws {SvcmError} PAYLOAD_TOO_LARGE, INVALID_PAYLOAD */
function readRequest(data: Uint8Array, { refusal }: Operation<never, unknown>): Request {
  if (data.length > MOST_REQUEST_BYTES)
    throw new SvcmError("PAYLOAD_TOO_LARGE", { details: `Accepted: at most ${MOST_REQUEST_BYTES} bytes.` });
  return parseInput(requestSchema, parseJson(data, MOST_DEPTH, "request"), refusal);
}

/** A log may be large, and the time of a node belongs to its processes. */
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

/** Writes are carried out once, and in time by the clock of this machine. */
class Once {
  readonly #now: () => number;
  readonly #seen = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** @throws {SvcmError} INVALID_REQUEST if the request has no id or time, is late or was seen */
  take({ id, notAfter }: Request): void {
    const now = this.#now();
    for (const [other, until] of this.#seen) if (until < now) this.#seen.delete(other);
    if (id === undefined || notAfter === undefined || notAfter > now + LONGEST_MS)
      throw new SvcmError("INVALID_REQUEST", {
        details: "A change needs an id and notAfter, at most an hour ahead of the clock of the node.",
      });
    if (notAfter < now)
      throw new SvcmError("INVALID_REQUEST", {
        code: "REQUEST_LATE",
        details: "The request arrived after its time, so nothing was changed. Send it again if it is still wanted.",
      });
    if (this.#seen.has(id))
      throw new SvcmError("INVALID_REQUEST", { code: "REQUEST_REPEATED", details: "A request is carried out once." });
    this.#seen.set(id, notAfter);
  }
}
