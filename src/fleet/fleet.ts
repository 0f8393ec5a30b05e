import type { EventFilter, FleetEventsResponse, NodeAsker, Operation, SvcmEvent } from "../core/index.ts";
import type { Fence } from "../core/nodes/rollout.ts";
import type { Presence } from "./presence.ts";
import type { StepResult } from "./rollout/step.ts";
import type { RolloutStore } from "./rollout/store.ts";

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
