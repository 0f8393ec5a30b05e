import { eventsBody, processShowBody } from "../core/api/events.ts";
import { eventsList, processShow } from "../core/index.ts";
import { operationRoute, type Route } from "./route.ts";

export const eventRoutes: readonly Route[] = [
  operationRoute("GET", "/api/events", eventsList, {
    summary: "List what happened to the processes, and why.",
    tag: "pm2",
    description:
      "Ends with their causes, starts and changes, newest first, from PM2's log and svcm's audit log. Covers the last 24 hours by default.",
    query: ["app", "since", "cause", "kind", "limit", "cursor"],
    response: eventsBody,
    refusals: ["EVENTS_FAILED", "AUDIT_FAILED", "PROCESS_NOT_FOUND", "PM2_FAILED"],
  }),
  operationRoute("GET", "/api/runtime/process", processShow, {
    summary: "Show one process: its state, why it last ended, its ports, its declaration.",
    tag: "pm2",
    description: "With the last lines of its error log, without known secrets, and the names of its variables.",
    query: ["name", "environment", "service"],
    response: processShowBody,
    refusals: [
      "INVALID_ENVIRONMENT",
      "PROCESS_NOT_FOUND",
      "PM2_FAILED",
      "EVENTS_FAILED",
      "AUDIT_FAILED",
      "FACT_INVALID",
    ],
  }),
];
