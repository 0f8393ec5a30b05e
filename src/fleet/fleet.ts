/** The fleet as a user sees it. */
import type { EventFilter, FleetEventsResponse, NodeAsker, SvcmEvent } from "../core/index.ts";
import type { Presence } from "./presence.ts";
import type { NatsProject } from "./settings.ts";

export interface EventsAsked extends EventFilter {
  /** As for `--node`. */
  readonly nodes: readonly string[];
  /** Milliseconds since 1970, by default a day ago. */
  readonly since?: number | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface Patience {
  readonly deadlineMs: number;
  /** Of the svcm that asks. */
  readonly version: string;
}

export interface KnownNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** False for a node that announces itself without an entry in `svcm.yaml`. */
  readonly isDeclared: boolean;
  /** Absent if the node is away. */
  readonly presence?: Presence | undefined;
}

/** Knows the nodes, and asks them. */
export interface NodesAsker extends NodeAsker {
  nodes(): Promise<readonly KnownNode[]>;
}

export interface Fleet extends NodesAsker {
  readonly user: string;
  readonly nats: NatsProject;
  /** The events of the nodes, from the stream if the server has one. @throws {SvcmError} INVALID_REQUEST, FLEET_FAILED */
  events(asked: EventsAsked, how: Patience): Promise<FleetEventsResponse>;
  /** Each event as it arrives. @throws {SvcmError} INVALID_REQUEST, FLEET_FAILED without a stream */
  follow(asked: EventsAsked, signal: AbortSignal): AsyncGenerator<SvcmEvent>;
  /** Makes the stream of events. @throws {SvcmError} FLEET_FAILED; FORBIDDEN if the user is not an admin */
  setUp(): Promise<"created" | "changed" | "unchanged">;
}
