import { randomUUID } from "node:crypto";
import {
  type ErrorKind,
  errorTable,
  type Identity,
  isGranted,
  type NatsProject,
  type Operation,
  type Ports,
  SvcmError,
} from "../core/index.ts";
import { NATS_CREDENTIALS, NATS_USER_CREDENTIALS, readFleetSettings, resolveStreams } from "./settings.ts";
import { followEvents, listEvents } from "./events/list.ts";
import { type Fleet, type KnownNode, nodeUnknown, readPresence } from "./fleet.ts";
import { findNameOfKey, type FleetLink, openLink } from "./link.ts";
import { resolveIdentity } from "./identity.ts";
import { openRolloutStore } from "./rollout/store.ts";
import {
  type Address,
  requestKind,
  SUBJECT_TOKEN,
  type Asker,
  decodeReply,
  encode,
  MAX_WAIT_MS,
  type Reply,
  type Request,
} from "./subjects.ts";
import * as z from "zod";
import * as body from "../core/api/bodies.ts";
import { bootBody, daemonBody } from "../core/api/boot.ts";
import { deployPlanBody } from "../core/api/deploy.ts";
import { eventsBody, processShowBody, whyBody } from "../core/api/events.ts";
import { historyBody } from "../core/api/history.ts";
import { identityBody } from "../core/api/identity.ts";
import type { OperationId } from "../core/api/inputs.ts";
import { logsBody } from "../core/api/logs.ts";
import { nodeStateBody } from "../core/api/node.ts";
import { rollbackPlanBody } from "../core/api/rollout-requests.ts";
import { planBody, releaseBody, releaseListBody } from "../core/api/rollout.ts";

type AskOnce = (input: object, timeoutMs: number) => Promise<unknown>;

/** As on the machine itself. */
const DEFAULT_TIMEOUT_MS = 20_000;
/** A node needs more time than its wait to answer. */
const MARGIN_MS = 5_000;

interface WaitAnswer {
  readonly ok: boolean;
  readonly waitedMs: number;
}

/** A node waits for some seconds only, so that no user holds its places; this asks again until the time is over. */
export async function waitRemotely(
  askOnce: AskOnce,
  input: { readonly timeoutMs?: number | undefined },
  deadlineMs: number,
): Promise<WaitAnswer> {
  const startedMs = performance.now();
  const elapsed = (): number => performance.now() - startedMs;
  const wantedMs = input.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  for (;;) {
    const timeoutMs = Math.max(0, Math.min(MAX_WAIT_MS, Math.round(wantedMs - elapsed())));
    const patienceMs = Math.max(1, Math.min(timeoutMs + MARGIN_MS, deadlineMs - elapsed()));
    const answer = (await askOnce({ ...input, timeoutMs }, patienceMs)) as WaitAnswer;
    // An answer before the time means that more waiting changes nothing.
    const isOver = answer.ok || answer.waitedMs < timeoutMs || elapsed() >= wantedMs;
    if (isOver) return { ...answer, waitedMs: Math.round(elapsed()) };
  }
}

export const NATS_USER = "SVC_SERVICE_MANAGEMENT_NATS_USER";

/** By the clock of the node; a later change never begins. */
const MAX_START_DELAY_MS = 10_000;
const CLOCK_TIMEOUT_MS = 5_000;

/** @throws {SvcmError} START_REFUSED, FLEET_FAILED */
export async function openFleet(ports: Ports, env: Readonly<Record<string, string | undefined>>): Promise<Fleet> {
  const credentials = env[NATS_USER_CREDENTIALS]?.trim() || env[NATS_CREDENTIALS];
  const settings = await readFleetSettings(ports, { ...env, [NATS_CREDENTIALS]: credentials });
  const { nats } = settings;
  const user = findNameOfKey(settings.credentials, nats.users) ?? env[NATS_USER] ?? "";
  if (!SUBJECT_TOKEN.test(user))
    throw new SvcmError("START_REFUSED", {
      details: `The credentials belong to no user in svcm.yaml, so svcm cannot send the request. Accepted: the seed of an nkey that nats.users names, in the file of SVC_SERVICE_MANAGEMENT_NATS_CREDENTIALS, or a name in ${NATS_USER}.`,
    });
  const link = await openLink(settings, { kind: "user", name: user });
  const send = createSender(link, nats, user);
  const streams = resolveStreams(settings);
  const { role } = resolveIdentity(nats, user);
  const fleet: Fleet = {
    user,
    isAdmin: role === "admin",
    environments: settings.environments,
    nodes: () => listKnownNodes(nats, link),
    events: (query) => listEvents(eventContext, query),
    follow: (query, signal) => followEvents(eventContext, query, signal),
    async setUp() {
      if (role !== "admin") throw forbiddenError(user, "set up the NATS server");
      return link.setUp(streams);
    },
    check: async () => ({ version: link.version, problems: await link.problems(streams) }),
    ask: async (node, operation, input, timeoutMs, asker) => {
      const askOnce: AskOnce = async (values, patienceMs) => {
        const request = { input: values as Record<string, unknown>, ...(asker && { asker: toAsker(asker) }) };
        return readAnswer(operation.id, await send(node, operation, request, patienceMs));
      };
      const answer =
        operation.id === "process.wait"
          ? waitRemotely(askOnce, input as object, timeoutMs)
          : askOnce(input as object, timeoutMs);
      return (await answer) as never;
    },
    requestStep: (node, { operation, input, fence }, timeoutMs) =>
      send(node, operation, { input: input as Record<string, unknown>, rollout: fence }, timeoutMs) as Promise<never>,
    rollouts: openRolloutStore({
      records: link.rollouts,
      nats: () => Promise.resolve(nats),
      services: settings.services,
      user,
    }),
    close: () => link.close(),
  };
  const eventContext = { fleet, stream: link.events };
  return fleet;
}

type SendRequest = (
  node: string,
  operation: Pick<Operation<never, unknown>, "id" | "access">,
  request: Request,
  timeoutMs: number,
) => Promise<unknown>;

/** Reads the node's clock first, because a change may only begin within some seconds of it. */
function createSender(link: FleetLink, nats: NatsProject, user: string): SendRequest {
  const exchange = async (address: Address, request: Request, timeoutMs: number) =>
    parseReply(await link.request(address, encode(request), timeoutMs));
  return async (node, { id, access }, request, timeoutMs) => {
    requireDeclaredNode(nats, node);
    const { role, grants } = resolveIdentity(nats, user);
    // The server would not say why: without an import, nothing takes the subject.
    if (role !== undefined && !isGranted(grants, access)) throw forbiddenError(user, id);
    const kind = requestKind(access);
    const replayGuard: Pick<Request, "id" | "notAfter"> = {};
    if (kind === "write") {
      const clock = { node, kind: "read", id: "identity.show", user } as const;
      const { now } = await exchange(clock, { input: {} }, Math.min(CLOCK_TIMEOUT_MS, timeoutMs));
      Object.assign(replayGuard, { id: randomUUID(), notAfter: now + MAX_START_DELAY_MS });
    }
    const reply = await exchange({ node, kind, id, user }, { ...request, ...replayGuard }, timeoutMs);
    if (reply.ok) return reply.result;
    throw toError(reply);
  };
}

function forbiddenError(user: string, what: string): SvcmError {
  return new SvcmError("FORBIDDEN", {
    code: "NODE_FORBIDDEN",
    details: `The role of ${user} in svcm.yaml does not permit ${what}.`,
  });
}

/** No undeclared name becomes part of a subject. @throws {SvcmError} INVALID_REQUEST */
function requireDeclaredNode({ nodes }: NatsProject, node: string): void {
  if (!Object.hasOwn(nodes, node)) throw nodeUnknown(node, Object.keys(nodes));
}

function toAsker({ actor = "anonymous", grants, limits }: Identity): Asker {
  const { environments, services } = limits ?? {};
  return {
    actor,
    grants: [...grants],
    ...(environments !== undefined && { environments: [...environments] }),
    ...(services !== undefined && { services: [...services] }),
  };
}

async function listKnownNodes({ nodes }: NatsProject, link: FleetLink): Promise<readonly KnownNode[]> {
  const entries = [...(await link.nodes.list())].map(([name, text]) => [name, readPresence(text)] as const);
  const present = new Map(entries.filter(([, presence]) => presence?.left !== true));
  const declared = Object.entries(nodes).map(([name, { labels }]) => ({
    name,
    labels,
    isDeclared: true,
    presence: present.get(name),
  }));
  const others = [...present].filter(([name]) => !Object.hasOwn(nodes, name));
  const strangers = others.map(([name, presence]) => ({ name, labels: {}, isDeclared: false, presence }));
  return [...declared, ...strangers].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** @throws {SvcmError} FLEET_FAILED if the reply does not come from svcm */
function parseReply(bytes: Uint8Array): Reply {
  const reply = decodeReply(bytes);
  if (reply !== undefined) return reply;
  throw new SvcmError("FLEET_FAILED", { code: "NODE_UNREACHABLE", details: "Another program answered in its place." });
}

function toError({ kind, error }: Extract<Reply, { readonly ok: false }>): SvcmError {
  const { error: _words, ...rest } = error;
  return new SvcmError(Object.hasOwn(errorTable, kind) ? (kind as ErrorKind) : "FLEET_FAILED", rest);
}

/** A node may be compromised or of another version, so its answers are checked like any other input. */

/** It becomes a header of HTTP. */
const entityTag = z
  .string()
  .regex(/^"[\w+/=-]{1,100}"$/)
  .optional();

const tagged = (response: z.ZodType): z.ZodType => z.strictObject({ response, entityTag });

/** Of the operations that HTTP answers with the same body. */
const SCHEMAS: Partial<Readonly<Record<OperationId, z.ZodType>>> = {
  "audit.list": body.auditBody,
  "boot.show": bootBody,
  "contract.show": body.contractBody,
  "daemon.show": daemonBody,
  "deploy.plan": deployPlanBody,
  "ecosystem.show": body.ecosystemBody,
  "env.check": body.envCheckBody,
  "env.diff": body.envDiffBody,
  "env.read": tagged(body.envReadBody),
  "event.why": whyBody,
  "events.list": eventsBody,
  "history.show": historyBody,
  "identity.show": identityBody,
  "logs.read": logsBody,
  "node.show": nodeStateBody,
  "process.show": processShowBody,
  "release.list": releaseListBody,
  "release.show": releaseBody,
  "rollout.plan": planBody,
  "rollout.rollback-plan": rollbackPlanBody,
};

const anyAnswer = z.union([z.record(z.string(), z.unknown()), z.array(z.unknown()), z.string()]);

/** @returns the answer as it came @throws {SvcmError} FLEET_FAILED with ANSWER_INVALID */
export function readAnswer(id: OperationId, result: unknown): unknown {
  const schema = Object.hasOwn(SCHEMAS, id) ? SCHEMAS[id] : anyAnswer;
  const issue = schema?.safeParse(result).error?.issues[0];
  if (issue === undefined && hasPrintableTag(result)) return result;
  const path = issue?.path.join(".") || "it";
  throw new SvcmError("FLEET_FAILED", {
    code: "ANSWER_INVALID",
    details: `The node's answer to ${id} has a form that this svcm does not know: ${path.slice(0, 80)}. A node of another version, or a program that is not svcm, may have sent it.`,
  });
}

function hasPrintableTag(result: unknown): boolean {
  const tag = typeof result === "object" && result !== null ? (Reflect.get(result, "entityTag") as unknown) : undefined;
  return entityTag.safeParse(tag).success;
}
