import * as body from "../core/api/bodies.ts";
import { asyncApiBody, healthBody, openApiBody, targetsBody } from "../core/api/bodies.ts";
import { fleetEventsBody } from "../core/api/events.ts";
import { fleetEventsInput } from "../core/api/inputs.ts";
import { nodesBody } from "../core/api/node.ts";
import { SOCKET_PATH } from "../core/api/channel.ts";
import {
  METRICS_TYPES,
  declarationsPlan,
  declarationsRead,
  declarationsWrite,
  deploymentsValidate,
  type ErrorKind,
} from "../core/index.ts";
import { contentRoute, type Route, bodyRefusals, operationRoute } from "./route.ts";
import {
  declarationsBody,
  declarationsPlanBody,
  declarationsPlanRequest,
  declarationsWriteRequest,
} from "../core/api/declarations.ts";

export const ASSET_PATH = "/assets/:file";

export const contentRoutes: readonly Route[] = [
  {
    method: "GET",
    path: SOCKET_PATH,
    socket: "pm2-ws",
    summary: "Stream metrics and act on processes, over a WebSocket.",
  },
  { method: "POST", path: "/mcp", isMcp: true, summary: "Answer a program over the Model Context Protocol." },
  contentRoute("/metrics", "metrics", {
    summary: "Return host, processes, drift and the service's own resource use to a scraper.",
    tag: "service",
    description:
      "OpenMetrics for a client that accepts application/openmetrics-text, else the text format 0.0.4 of Prometheus. With `?node=`, the metrics of another machine of the fleet.",
    mediaType: METRICS_TYPES.prometheus,
  }),
  contentRoute("/api/fleet/targets", "targets", {
    summary: "List the machines of the fleet for Prometheus.",
    tag: "service",
    description:
      "HTTP service discovery: each target is this server, which asks the node for its metrics. Fails without a NATS server.",
    response: targetsBody,
  }),
  contentRoute("/api/fleet/events", "fleet-events", {
    summary: "List what happened on the machines of the fleet, and why.",
    tag: "service",
    description:
      "Read from the stream of the NATS server, which includes machines that are away; without a stream, svcm asks each machine. `node` is a name, a label such as role=api, or all.",
    input: fleetEventsInput,
    query: ["node", "app", "since", "until", "cause", "kind", "limit", "cursor"],
    response: fleetEventsBody,
  }),
  contentRoute("/api/fleet/nodes", "nodes", {
    summary: "Summarise every machine of the fleet.",
    tag: "service",
    description:
      "Asks all nodes at the same time. A node that does not answer is listed with the values of its last answer. Fails without a NATS server.",
    response: nodesBody,
  }),
  contentRoute("/healthz", "health", {
    summary: "Show that the service runs, its version and its identity.",
    tag: "service",
    description: "Needs no token on any address.",
    isOpen: true,
    response: healthBody,
  }),
  contentRoute("/api/openapi.json", "openapi", {
    summary: "Describe this API as OpenAPI 3.1.",
    tag: "service",
    description: "Generated from the schemas that validate requests.",
    response: openApiBody,
  }),
  contentRoute("/api/asyncapi.json", "asyncapi", {
    summary: "Describe the WebSocket as AsyncAPI 3.0.",
    tag: "service",
    description: "Generated from the schemas that validate frames.",
    response: asyncApiBody,
  }),
  contentRoute("/", "page", { summary: "The console.", mediaType: "text/html; charset=utf-8", isOpen: true }),
  { method: "GET", path: "/index.html", isRedirect: true, summary: "Leads to the console." },
  { method: "GET", path: ASSET_PATH, isAsset: true, summary: "Its scripts, styles and icons." },
];

const documentRefusals: readonly ErrorKind[] = ["SUITE_FILE_FAILED", "FACT_INVALID"];

export const documentRoutes: readonly Route[] = [
  operationRoute("POST", "/api/validate", deploymentsValidate, {
    summary: "Validate a deployments document; nothing is written.",
    tag: "documents",
    description: "The body may also be YAML, as `application/yaml`; then each issue has its line and column.",
    body: body.deploymentsRequest,
    takesYaml: true,
    response: body.deploymentsVerdictBody,
    refusals: [...bodyRefusals, "FACT_INVALID"],
  }),
  operationRoute("GET", "/api/declarations", declarationsRead, {
    summary: "Read the deployments document of the repository.",
    tag: "documents",
    description: "With its verdict and the commit of the repository. If there is no file, `exists` is false.",
    response: declarationsBody,
    hasEntityTag: true,
    refusals: documentRefusals,
  }),
  operationRoute("POST", "/api/declarations", declarationsWrite, {
    summary: "Write a draft into the deployments document of the repository: all of it, or nothing.",
    tag: "documents",
    description: "Only the lines of the differences change. A draft that adds errors is refused.",
    body: declarationsWriteRequest,
    takesDocument: true,
    ifMatch: "ifMatch",
    response: declarationsBody,
    hasEntityTag: true,
    refusals: [...documentRefusals, ...bodyRefusals, "SUITE_FILE_CHANGED", "EDIT_REFUSED", "AUDIT_FAILED"],
  }),
  operationRoute("POST", "/api/declarations/plan", declarationsPlan, {
    summary: "Compare a draft with the deployments document of the repository; nothing is written.",
    tag: "documents",
    description: "In words, and as a patch for `git apply`. With `from`, compares the draft with that document.",
    body: declarationsPlanRequest,
    takesDocument: true,
    response: declarationsPlanBody,
    refusals: [...documentRefusals, ...bodyRefusals, "EDIT_REFUSED"],
  }),
];
