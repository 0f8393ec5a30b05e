import {
  type EventFilter,
  type FleetEventsResponse,
  type NodeAsker,
  type Operation,
  type SvcmEvent,
  nodeShow,
  SvcmError,
  identifyProcess,
  isRunning,
  type Ports,
} from "../core/index.ts";
import type { Fence } from "../core/nodes/rollout.ts";
import type { StepResult } from "./rollout/step.ts";
import type { RolloutStore } from "./rollout/store.ts";
import type { ListedNode } from "../core/api/node.ts";
import * as z from "zod/mini";

export interface FleetEventQuery extends EventFilter {
  readonly nodes: readonly string[];
  /** Milliseconds since 1970; the default is a day ago. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface KnownNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** False for a node that announces itself but is not in `svcm.yaml`. */
  readonly isDeclared: boolean;
  readonly presence?: Presence | undefined;
}

export interface FleetClient extends NodeAsker {
  nodes(): Promise<readonly KnownNode[]>;
}

interface StepRequest<Input> {
  readonly operation: Operation<Input, unknown>;
  readonly input: Input;
  readonly fence: Fence;
}

export interface Fleet extends FleetClient {
  readonly user: string;
  /** By svcm.yaml; the NATS server and the nodes check the rights. */
  readonly isAdmin: boolean;
  /** Each may have a rollout. */
  readonly environments: readonly string[];
  readonly rollouts: RolloutStore;
  /** @returns the release, or null if there was nothing to do @throws {SvcmError} as `ask` */
  requestStep<Input extends object>(
    node: string,
    { operation, input, fence }: StepRequest<Input>,
    timeoutMs: number,
  ): Promise<StepResult>;
  /** @throws {SvcmError} INVALID_REQUEST, FLEET_FAILED */
  events(query: FleetEventQuery): Promise<FleetEventsResponse>;
  /** Yields only new events. @throws {SvcmError} INVALID_REQUEST, FLEET_FAILED without a stream */
  follow(query: FleetEventQuery, signal: AbortSignal): AsyncGenerator<SvcmEvent>;
  /** @throws {SvcmError} FLEET_FAILED; FORBIDDEN if the user is not an admin */
  setUp(): Promise<"created" | "changed" | "unchanged">;
  /** The version of the NATS server, and a sentence for each stream that is missing or has other settings. */
  check(): Promise<{ readonly version: string; readonly problems: readonly string[] }>;
}

export type AnswerState = "answered" | "failed" | "silent" | "away" | "refused" | "other-version";

/** A node responds with these if it does not support a request. */
const UNSUPPORTED_KINDS: ReadonlySet<string> = new Set(["NOT_FOUND", "INVALID_REQUEST", "INVALID_PAYLOAD"]);

/** Why there is no result from a node; `failed` if the operation itself refused. */
export function findAnswerState(error: unknown, presence: Presence | undefined, ownVersion: string): AnswerState {
  const { svcm: version = ownVersion } = presence ?? {};
  const isOther = version !== ownVersion;
  // A node with another version may reply in a form that this svcm cannot show.
  if (!(error instanceof SvcmError)) return isOther ? "other-version" : "failed";
  if (isRefusal(error)) return "refused";
  if (isOtherForm(error, isOther)) return "other-version";
  if (error.kind !== "FLEET_FAILED" || error.body.code === "ANSWER_INVALID") return "failed";
  return unanswered(error, presence);
}

/** The server says at once if no node takes a request. One that hangs takes it, but its heartbeats end. */
function unanswered({ body: { code } }: SvcmError, presence: Presence | undefined): "away" | "silent" {
  return presence === undefined && code !== "NODE_TIMEOUT" ? "away" : "silent";
}

function isRefusal({ kind }: SvcmError): boolean {
  return kind === "FORBIDDEN" || kind === "UNAUTHORIZED";
}

function isOtherForm({ kind, body: { code } }: SvcmError, isOther: boolean): boolean {
  return code === "OPERATION_UNKNOWN" || (isOther && (code === "ANSWER_INVALID" || UNSUPPORTED_KINDS.has(kind)));
}

export async function listNodes(fleet: FleetClient, deadlineMs: number): Promise<readonly ListedNode[]> {
  const nodes = await fleet.nodes();
  return await Promise.all(nodes.map((node) => describeNode(fleet, node, deadlineMs)));
}

/** @throws {SvcmError} INVALID_REQUEST if there is no such node */
export async function showNode(fleet: FleetClient, name: string, deadlineMs: number): Promise<ListedNode> {
  const nodes = await fleet.nodes();
  const node = nodes.find((one) => one.name === name);
  if (node !== undefined) return await describeNode(fleet, node, deadlineMs);
  throw nodeUnknown(
    name,
    nodes.map((one) => one.name),
  );
}

async function describeNode(
  fleet: FleetClient,
  { name, labels, isDeclared, presence }: KnownNode,
  deadlineMs: number,
): Promise<ListedNode> {
  const { instance: _instance, run: _run, left: _left, rival, ...announced } = presence ?? {};
  const common = { name, labels, ...announced };
  // svcm lists an undeclared node, but sends it nothing.
  if (!isDeclared) return { ...common, state: "undeclared", reason: "svcm.yaml does not declare it under nats." };
  try {
    const answer = { ...(await fleet.ask(name, nodeShow, {}, deadlineMs)), ...common };
    if (rival === undefined) return { ...answer, state: "online" };
    const reason = `It answers, but another svcm, on the host ${rival}, wants the same name and serves nothing.`;
    return { ...answer, state: "duplicate", reason };
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
    const state = isRefusal(error) ? "refused" : unanswered(error, presence);
    return { ...common, state, reason: error.message };
  }
}

export function nodeUnknown(name: string, accepted: readonly string[]): SvcmError {
  return new SvcmError("INVALID_REQUEST", {
    code: "NODE_UNKNOWN",
    details: `No node has the name ${JSON.stringify(name.slice(0, 80))}. Accepted: ${accepted.join(", ") || "a node of svcm.yaml"}.`,
  });
}

/** Readers validate entries, because a server without permissions lets any client write. */
const presenceSchema = z.object({
  instance: z.string().check(z.maxLength(64)),
  svcm: z.string().check(z.maxLength(64)),
  nodejs: z.string().check(z.maxLength(64)),
  pm2: z.nullable(z.string().check(z.maxLength(64))),
  environments: z.array(z.string().check(z.maxLength(80))).check(z.maxLength(50)),
  services: z.array(z.string().check(z.maxLength(200))).check(z.maxLength(200)),
  startedAt: z.iso.datetime(),
  /** So that the same machine takes its name back at once after a crash. */
  run: z.optional(
    z.object({
      host: z.string().check(z.maxLength(255)),
      /** A digest: only within the same one do equal pids mean the same process. */
      place: z.string().check(z.maxLength(64)),
      pid: z.int(),
      startTime: z.nullable(z.string().check(z.maxLength(40))),
    }),
  ),
  /** The host of another svcm that wants the name, which has written this itself. */
  rival: z.optional(z.string().check(z.maxLength(255))),
  /** The node has left in an orderly way. */
  left: z.optional(z.literal(true)),
});

export type Presence = z.infer<typeof presenceSchema>;

export async function createPresence(ports: Ports, version: string, instance: string): Promise<Presence> {
  const { facts, installation, clock } = ports;
  const [project, contract, run] = await Promise.all([facts.project(), facts.runtimeContract(), describeRun(ports)]);
  return {
    instance,
    svcm: version,
    nodejs: installation.node,
    pm2: installation.pm2Version,
    environments: Object.keys(contract.environments),
    services: Object.keys(project?.services ?? {}).filter((name) => name !== ""),
    startedAt: new Date(clock.now()).toISOString(),
    run,
  };
}

/** @returns `undefined` if no node of svcm wrote the text */
export function readPresence(text: string): Presence | undefined {
  try {
    return presenceSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

async function describeRun({ host, workspace }: Ports): Promise<NonNullable<Presence["run"]>> {
  const { pid, startTime, bootId, pidNamespace } = await identifyProcess();
  const place = new TextEncoder().encode([bootId, pidNamespace, host.name(), workspace.root].join("\0"));
  return { host: host.name(), place: host.digest(place), pid, startTime };
}

/** True if the process that wrote it was of this machine and root, and has ended. */
export async function isOwnEnded({ run: other }: Presence, { run: own }: Presence): Promise<boolean> {
  if (other === undefined || own === undefined || other.place !== own.place) return false;
  const self = await identifyProcess();
  return !(await isRunning({ ...self, pid: other.pid, startTime: other.startTime }, self));
}
