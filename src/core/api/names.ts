/** The official process entrypoints of a backend. `websocket` and `grpc` also serve REST. */
export const entrypoints = ["rest", "websocket", "grpc"] as const;

/** The sections of a deployments document with their own validators. */
export const documentSections = ["serviceConfiguration", "interfaces", "deployments"] as const;

/** Formats of a validation report, besides `--json`. */
export const reportFormats = ["text", "github", "sarif", "junit"] as const;

/** The documents that people write and `svcm schema` describes. */
export const documentNames = ["deployments", "runtime-contract", "capability-matrix", "svcm"] as const;

/** Formats of a difference between two deployments documents, besides `--json`. */
export const diffFormats = ["text", "markdown"] as const;

/** Documents that `svcm schema` prints: those schemas, and the description of the WebSocket. */
export const schemaNames = [...documentNames, "asyncapi"] as const;

/** Actions on a process. */
export const processActions = ["start", "stop", "restart"] as const;
export type ProcessAction = (typeof processActions)[number];

/** Targets of an action. `ecosystem` means apps as the ecosystem file declares them. */
export const processScopes = ["process", "namespace", "ecosystem"] as const;
export type ProcessScope = (typeof processScopes)[number];

/** The faces that an attempt to change something comes through. */
export const auditSources = ["cli", "http", "ws", "nats"] as const;
export type AuditSource = (typeof auditSources)[number];

/**
 * Outcomes of an attempt: `refused` before its first effect, `failed` after it. One that stays `started` was cut off.
 */
export const auditOutcomes = ["started", "succeeded", "failed", "refused"] as const;

/** Differences between a process and its declaration. */
export const driftStates = ["missing", "unexpected", "different", "absent", "stale"] as const;
