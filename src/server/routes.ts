/** The whole HTTP surface. Routes, 405 answers and the API's description come from this table. */
import * as body from "../core/contract/bodies.ts";
import { SOCKET_PATH } from "../core/contract/channel.ts";
import {
  auditList,
  contractShow,
  ecosystemShow,
  envCheck,
  envDiff,
  envRead,
  envWrite,
  METRICS_TYPES,
  metricsShow,
  suiteValidate,
  type ErrorKind,
} from "../core/index.ts";
import { ask, assets, lead, show, talk, type Route } from "./route.ts";

const ofFile: readonly ErrorKind[] = ["INVALID_ENVIRONMENT", "ENV_FILE_FAILED", "FACT_INVALID"];
const ofBody: readonly ErrorKind[] = ["UNSUPPORTED_MEDIA_TYPE", "PAYLOAD_TOO_LARGE"];
const json = "application/json; charset=utf-8";

export const ASSET_PATH = "/assets/:file";

export const routes: readonly Route[] = [
  ask("GET", "/api/runtime/env", envRead, {
    summary: "Read the visible keys of an environment.",
    query: ["environment"],
    response: body.envReadBody,
    hasEntityTag: true,
    refusals: ofFile,
  }),
  ask("POST", "/api/runtime/env", envWrite, {
    summary: "Change editable keys of an environment: all that are asked, or nothing.",
    body: body.envWriteRequest,
    ifMatch: "ifMatch",
    fixed: { foreignKeys: "ignore" },
    response: body.envWriteBody,
    hasEntityTag: true,
    refusals: [...ofFile, ...ofBody, "ENV_FILE_CHANGED", "AUDIT_FAILED"],
  }),
  ask("GET", "/api/runtime/env/check", envCheck, {
    summary: "Check an env file against the runtime contract.",
    query: ["environment"],
    response: body.envCheckBody,
    refusals: ofFile,
  }),
  ask("GET", "/api/runtime/env/diff", envDiff, {
    summary: "Compare two environments key by key.",
    query: ["from", "to"],
    response: body.envDiffBody,
    refusals: ofFile,
  }),
  ask("GET", "/api/runtime/pm2-ecosystem", ecosystemShow, {
    summary: "Show what an environment's PM2 ecosystem file declares.",
    query: ["environment", "serviceKind"],
    response: body.ecosystemBody,
    refusals: ["INVALID_ENVIRONMENT", "ECOSYSTEM_FILE_FAILED", "FACT_INVALID"],
  }),
  ask("GET", "/api/runtime/pm2-metrics", metricsShow, {
    summary: "Measure the host and the processes that PM2 runs, and compare these with the ecosystem file.",
    query: ["environment", "asyncContext"],
    response: body.pm2MetricsBody,
    refusals: ["INVALID_ENVIRONMENT", "PM2_METRICS_FAILED", "FACT_INVALID"],
  }),
  ask("GET", "/api/runtime/contract", contractShow, {
    summary: "Show the runtime contract and the capability matrix.",
    response: body.contractBody,
    refusals: ["FACT_INVALID"],
  }),
  ask("GET", "/api/runtime/audit", auditList, {
    summary: "List the newest mutations.",
    query: ["limit"],
    response: body.auditBody,
    refusals: ["AUDIT_FAILED"],
  }),
  ask("POST", "/api/validate", suiteValidate, {
    summary: "Validate a suite document; nothing is written.",
    body: body.suiteRequest,
    takesYaml: true,
    response: body.suiteVerdictBody,
    refusals: [...ofBody, "FACT_INVALID"],
  }),
  talk(SOCKET_PATH, "pm2-ws", { summary: "Stream metrics and act on processes, over a WebSocket." }),
  show("/metrics", "metrics", {
    summary: "Tell host, processes, drift and the service's own cost as OpenMetrics.",
    mediaType: METRICS_TYPES.prometheus,
    isOpen: false,
  }),
  show("/healthz", "health", {
    summary: "Show that the service runs, its version and its identity.",
    mediaType: json,
    isOpen: true,
    response: body.healthBody,
  }),
  show("/api/openapi.json", "openapi", {
    summary: "Describe this API as OpenAPI 3.1.",
    mediaType: json,
    isOpen: false,
    response: body.openApiBody,
  }),
  show("/api/asyncapi.json", "asyncapi", {
    summary: "Describe the WebSocket as AsyncAPI 3.0.",
    mediaType: json,
    isOpen: false,
    response: body.asyncApiBody,
  }),
  show("/", "page", { summary: "The console.", mediaType: "text/html; charset=utf-8", isOpen: true }),
  lead("/index.html", { summary: "Leads to the console." }),
  assets(ASSET_PATH, { summary: "Its scripts, styles and icons." }),
];
