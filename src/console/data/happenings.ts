import type { EventsResponse, ProcessShowResponse, SvcmEvent } from "../../core/api/events.ts";
import type { LogsResponse } from "../../core/api/logs.ts";
import type { Ask, Query } from "./request.ts";

export type EventsQuery = Readonly<Record<"since" | "limit", string>>;

export function isFailure({ kind, cause }: SvcmEvent): boolean {
  return kind === "exit" || cause === "memory-limit";
}

export function happenings(ask: Ask, of: (query: Query) => Query) {
  return {
    logs: (query: Query) => ask<LogsResponse>({ path: "/api/logs", query }),
    events: (query: EventsQuery, signal?: AbortSignal) => ask<EventsResponse>({ path: "/api/events", query, signal }),
    process: (name: string, environment: string, signal?: AbortSignal) =>
      ask<ProcessShowResponse>({
        path: "/api/runtime/process",
        query: of({ name, environment: environment || undefined }),
        signal,
      }),
  };
}
