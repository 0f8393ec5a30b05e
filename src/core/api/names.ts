/** `websocket` and `grpc` also serve REST. */
export const entrypoints = ["rest", "websocket", "grpc"] as const;

export const documentSections = ["serviceConfiguration", "interfaces", "deployments"] as const;

export const reportFormats = ["text", "github", "sarif", "junit"] as const;

export const documentNames = ["deployments", "runtime-contract", "capability-matrix", "svcm"] as const;

export const diffFormats = ["text", "markdown"] as const;

export const schemaNames = [...documentNames, "asyncapi"] as const;

export const processActions = ["start", "stop", "restart"] as const;
export type ProcessAction = (typeof processActions)[number];

export const processScopes = ["process", "namespace", "ecosystem"] as const;
export type ProcessScope = (typeof processScopes)[number];

export const auditSources = ["cli", "http", "ws", "nats"] as const;
export type AuditSource = (typeof auditSources)[number];

/** `refused` before the first effect, `failed` after it. An attempt that stays `started` was interrupted. */
export const auditOutcomes = ["started", "succeeded", "failed", "refused"] as const;

export const driftStates = ["missing", "unexpected", "different", "absent", "stale"] as const;
