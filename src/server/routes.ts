/**
 * Routes, 405 responses and the API description are derived from this table.
 * Routes without an operation are in `content-routes.ts`.
 */
import * as body from "../core/api/bodies.ts";
import { bootBody, daemonBody } from "../core/api/boot.ts";
import { createdTokenBody, identityBody, revokedTokenBody, tokenListBody } from "../core/api/identity.ts";
import { inputs } from "../core/api/inputs.ts";
import { logPruneBody, logRotationBody, logUsageBody, logsBody } from "../core/api/logs.ts";
import { markListBody } from "../core/api/alerts.ts";
import { eventsBody, processShowBody } from "../core/api/events.ts";
import { historyBody, recorderBody } from "../core/api/history.ts";
import {
  auditList,
  bootShow,
  contractShow,
  daemonShow,
  ecosystemShow,
  envCheck,
  envDiff,
  envRead,
  envWrite,
  eventsList,
  identityShow,
  logsPrune,
  logsRead,
  logsRotate,
  logsUsage,
  historyRecord,
  historyShow,
  markList,
  markMute,
  markNote,
  metricsShow,
  processShow,
  tokenCreate,
  tokenList,
  tokenRevoke,
  type ErrorKind,
} from "../core/index.ts";
import { contentRoutes, documentRoutes } from "./content-routes.ts";
import { proposalRoutes, rolloutRoutes } from "./rollout-routes.ts";
import { bodyRefusals, operationRoute, type Route } from "./route.ts";

const envFileRefusals: readonly ErrorKind[] = ["INVALID_ENVIRONMENT", "ENV_FILE_FAILED", "FACT_INVALID"];

const markRefusals: readonly ErrorKind[] = [...bodyRefusals, "MARK_REFUSED", "MARKS_FAILED", "AUDIT_FAILED"];

export const routes: readonly Route[] = [
  operationRoute("GET", "/api/runtime/env", envRead, {
    summary: "Read the visible keys of an environment.",
    tag: "environment",
    description: "An editable key that the file lacks shows its default. Secrets are never part of the answer.",
    query: ["environment", "service"],
    response: body.envReadBody,
    hasEntityTag: true,
    refusals: envFileRefusals,
  }),
  operationRoute("POST", "/api/runtime/env", envWrite, {
    summary: "Change editable keys of an environment: all of them, or none.",
    tag: "environment",
    description: "Only the lines of the given keys change. Nothing is written unless every value is accepted.",
    query: ["service"],
    body: body.envWriteRequest,
    ifMatch: "ifMatch",
    fixed: { foreignKeys: "ignore" },
    response: body.envWrittenBody,
    hasEntityTag: true,
    refusals: [...envFileRefusals, ...bodyRefusals, "ENV_FILE_CHANGED", "EDIT_REFUSED", "AUDIT_FAILED"],
  }),
  operationRoute("GET", "/api/runtime/env/check", envCheck, {
    summary: "Check an env file against the runtime contract.",
    tag: "environment",
    description: "At most 1,000 findings are listed. Values of secrets are never shown.",
    query: ["environment", "service"],
    response: body.envCheckBody,
    refusals: envFileRefusals,
  }),
  operationRoute("GET", "/api/runtime/env/diff", envDiff, {
    summary: "Compare two environments key by key.",
    tag: "environment",
    description: "Keys that are never exposed show only their state.",
    query: ["from", "to", "service"],
    response: body.envDiffBody,
    refusals: envFileRefusals,
  }),
  operationRoute("GET", "/api/runtime/pm2-ecosystem", ecosystemShow, {
    summary: "Show what an environment's PM2 ecosystem file declares.",
    tag: "pm2",
    description: "The file runs again for each answer. If the environment has no file, `exists` is false.",
    query: ["environment", "service", "serviceKind"],
    response: body.ecosystemBody,
    refusals: ["INVALID_ENVIRONMENT", "ECOSYSTEM_FILE_FAILED", "FACT_INVALID"],
  }),
  operationRoute("GET", "/api/runtime/pm2-metrics", metricsShow, {
    summary: "Measure the host and the processes that PM2 runs, and compare these with the ecosystem file.",
    tag: "pm2",
    description: "A value that could not be measured is null or carries a code. Reading never starts a PM2 daemon.",
    query: ["environment", "service", "asyncContext"],
    response: body.pm2MetricsBody,
    refusals: ["INVALID_ENVIRONMENT", "PM2_METRICS_FAILED", "FACT_INVALID"],
  }),
  ...rolloutRoutes,
  ...proposalRoutes,
  operationRoute("GET", "/api/runtime/contract", contractShow, {
    summary: "Show the runtime contract and the capability matrix.",
    tag: "documents",
    description: "Forms and completions are built from it. Keys that are never exposed are left out.",
    response: body.contractBody,
    refusals: ["FACT_INVALID"],
  }),
  operationRoute("GET", "/api/runtime/audit", auditList, {
    summary: "List the newest attempts to change something.",
    tag: "service",
    description:
      "Attempts on files and processes, newest first, including refused ones. Values are never listed. With `calls`, also what programs asked over MCP.",
    query: ["limit", "calls"],
    response: body.auditBody,
    refusals: ["AUDIT_FAILED"],
  }),
  operationRoute("GET", "/api/events", eventsList, {
    summary: "List what happened to the processes, and why.",
    tag: "pm2",
    description:
      "Ends with their causes, starts and changes, newest first, from PM2's log and svcm's audit log. Covers the last 24 hours by default.",
    query: ["app", "since", "until", "cause", "kind", "limit", "cursor"],
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
  operationRoute("GET", "/api/boot", bootShow, {
    summary: "Tell whether a reboot would bring back what PM2 runs, as it is declared.",
    tag: "pm2",
    description: "Each finding has the one command that ends it. Variables are named, and no value is shown.",
    query: ["environment", "service"],
    response: bootBody,
    refusals: ["INVALID_ENVIRONMENT", "PM2_FAILED"],
  }),
  operationRoute("GET", "/api/daemon", daemonShow, {
    summary: "Show the PM2 daemons of this machine that the service may see.",
    tag: "pm2",
    description: "Versions, Node.js, owner and home of each, and the faults of the daemon of PM2_HOME.",
    response: daemonBody,
    refusals: ["PM2_FAILED"],
  }),
  operationRoute("GET", "/api/me", identityShow, {
    summary: "Show who the caller is, and what it may do.",
    tag: "service",
    description: "With a token, its name, role, rights and limits. A wrong token is refused on every address.",
    response: identityBody,
    refusals: [],
  }),
  operationRoute("GET", "/api/tokens", tokenList, {
    summary: "List the tokens of the repository.",
    tag: "service",
    description: "Names, roles, limits and times. No token is shown.",
    response: tokenListBody,
    refusals: ["TOKENS_FAILED"],
  }),
  operationRoute("POST", "/api/tokens", tokenCreate, {
    summary: "Create a token.",
    tag: "service",
    description: "Only this answer contains the token. Once a token exists, changes need one on every address.",
    body: inputs["token.create"],
    response: createdTokenBody,
    refusals: [...bodyRefusals, "INVALID_ENVIRONMENT", "TOKEN_EXISTS", "TOKENS_FAILED", "AUDIT_FAILED", "FACT_INVALID"],
  }),
  operationRoute("POST", "/api/tokens/revoke", tokenRevoke, {
    summary: "Revoke a token.",
    tag: "service",
    description: "Its next request is refused. An open WebSocket without another right to read is closed.",
    body: inputs["token.revoke"],
    response: revokedTokenBody,
    refusals: [...bodyRefusals, "TOKEN_NOT_FOUND", "TOKENS_FAILED", "AUDIT_FAILED"],
  }),
  operationRoute("GET", "/api/logs", logsRead, {
    summary: "Read the newest lines of the processes' logs.",
    tag: "pm2",
    description: "Merged by time, without known secrets. A request scans at most 256 MB and one second.",
    query: ["app", "apps", "since", "until", "before", "after", "limit", "grep", "ignoreCase", "level", "stream"],
    fixed: { isBounded: true },
    response: logsBody,
    refusals: ["LOGS_FAILED", "PM2_FAILED", "PROCESS_NOT_FOUND", "FACT_INVALID"],
  }),
  operationRoute("GET", "/api/logs/usage", logsUsage, {
    summary: "Show how large PM2's logs are, how fast they grow, and what rotates them.",
    tag: "pm2",
    description: "Reads no line. Growth is null until the service has looked twice, at least a minute apart.",
    response: logUsageBody,
    refusals: ["FACT_INVALID"],
  }),
  operationRoute("POST", "/api/logs/rotate", logsRotate, {
    summary: "Cut off the head of each log that is too large.",
    tag: "pm2",
    description: "In place where the file system can, so that no line is lost. `logs` of `svcm.yaml` has the limits.",
    body: inputs["logs.rotate"],
    response: logRotationBody,
    refusals: [...bodyRefusals, "AUDIT_FAILED", "FACT_INVALID"],
  }),
  operationRoute("POST", "/api/logs/prune", logsPrune, {
    summary: "Free disk space: remove rotated files, and older lines of logs.",
    tag: "pm2",
    description: "The lines that `svcm why` reads stay. Without `apply`, the answer says what would be removed.",
    body: inputs["logs.prune"],
    response: logPruneBody,
    refusals: [...bodyRefusals, "AUDIT_FAILED", "PM2_FAILED"],
  }),
  operationRoute("GET", "/api/history", historyShow, {
    summary: "Show the recorded past of the host and the processes, in columns.",
    tag: "pm2",
    description:
      "By default every series of the last hour. `series` narrows it, for example `host,orders-api/0:memoryBytes`, and `points` bounds the values of each. Empty if nothing was recorded.",
    query: ["series", "from", "to", "points"],
    response: historyBody,
    refusals: ["HISTORY_FAILED"],
  }),
  operationRoute("POST", "/api/history/recorder", historyRecord, {
    summary: "Switch the recorder of this service on or off.",
    tag: "service",
    description:
      "Until the service ends. `record: true` in `svcm.yaml` or `svcm serve --record` switches it on at a start.",
    body: body.recorderRequest,
    response: recorderBody,
    refusals: [...bodyRefusals, "AUDIT_FAILED", "HISTORY_FAILED"],
  }),
  operationRoute("GET", "/api/marks", markList, {
    summary: "List the mutes and notes of the repository.",
    tag: "pm2",
    description: "A mute ends by itself, and then it is not listed.",
    response: markListBody,
    refusals: ["MARKS_FAILED"],
  }),
  operationRoute("POST", "/api/marks/mute", markMute, {
    summary: "Mute the present troubles of an app until a time, or end the mute.",
    tag: "pm2",
    description:
      "No alert is sent for them, and the console lists them as muted. A new kind of trouble is not muted. Without `until`, the mute ends.",
    body: inputs["mark.mute"],
    response: markListBody,
    refusals: [...markRefusals, "PM2_FAILED"],
  }),
  operationRoute("POST", "/api/marks/note", markNote, {
    summary: "Leave a note about an app for those who come next.",
    tag: "pm2",
    description: "An empty text removes it.",
    body: inputs["mark.note"],
    response: markListBody,
    refusals: markRefusals,
  }),
  ...documentRoutes,
  ...contentRoutes,
];
