/** The official process entrypoints of a backend. `websocket` and `grpc` serve REST beside. */
export const entrypoints = ["rest", "websocket", "grpc"] as const;

/** The sections of a deployments document that have validators of their own. */
export const documentSections = ["serviceConfiguration", "interfaces", "deployments"] as const;

/** How a validation can be reported, beside `--json`. */
export const reportFormats = ["text", "github", "sarif", "junit"] as const;

/** The documents that people write and `svcm schema` describes. */
export const documentNames = ["deployments", "runtime-contract", "capability-matrix"] as const;

/** How a difference between two deployments documents can be told, beside `--json`. */
export const diffFormats = ["text", "markdown"] as const;

/** What `svcm schema` can print: the schemas of those documents, and the description of the WebSocket. */
export const schemaNames = [...documentNames, "asyncapi"] as const;

/** What can be done to a process. */
export const processActions = ["start", "stop", "restart"] as const;
export type ProcessAction = (typeof processActions)[number];

/** Whom an action is for. `ecosystem` means apps as the environment's ecosystem file declares them. */
export const processScopes = ["process", "namespace", "ecosystem"] as const;
export type ProcessScope = (typeof processScopes)[number];

/** The faces that an attempt to change something comes through. */
export const auditSources = ["cli", "http", "ws", "nats"] as const;
export type AuditSource = (typeof auditSources)[number];

/** How an attempt to change something ended: `refused` before its first effect, `failed` after it. One that stays `started` was cut off. */
export const auditOutcomes = ["started", "succeeded", "failed", "refused"] as const;

/** How a process differs from its declaration. */
export const driftStates = ["missing", "unexpected", "different", "absent", "stale"] as const;
