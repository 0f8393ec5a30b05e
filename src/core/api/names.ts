/** `websocket` and `grpc` also serve REST. */
export const entrypoints = ["rest", "websocket", "grpc"] as const;

export const documentSections = ["serviceConfiguration", "interfaces", "deployments"] as const;

export const reportFormats = ["text", "github", "sarif", "junit"] as const;

/** From the most to the least open. */
export const tiers = ["editable", "read-only", "never-exposed"] as const;

/** These only check the form of a value; see `env/runtime-keys.ts`. */
export const formKinds = [
  "text",
  "boolean",
  "port",
  "number",
  "url",
  "duration",
  "size",
  "email",
  "path",
  "list",
  "json",
  "cron",
] as const;

/** Those that `svcm keys add` offers. */
export const keyKinds = ["enum", ...formKinds, "secret", "connection-url"] as const;

export const documentNames = ["deployments", "runtime-contract", "capability-matrix", "svcm"] as const;

export const exportFormats = ["shell", "docker", "json"] as const;
export type ExportFormat = (typeof exportFormats)[number];

export const diffFormats = ["text", "markdown"] as const;

export const schemaNames = [...documentNames, "asyncapi"] as const;

export const processActions = ["start", "stop", "restart", "reload", "delete"] as const;
export type ProcessAction = (typeof processActions)[number];

/** Those that the WebSocket accepts. */
export const channelActions = ["start", "stop", "restart", "reload"] as const;
export type ChannelAction = (typeof channelActions)[number];

export const processScopes = ["process", "namespace", "ecosystem"] as const;
export type ProcessScope = (typeof processScopes)[number];

/** The tools that may rotate a log. */
export const logRotators = ["svcm", "pm2-logrotate", "logrotate"] as const;

/** In place, without a loss; or after a copy, where the file system cannot. */
export const cutWays = ["collapse", "truncate"] as const;
export type CutWay = (typeof cutWays)[number];

export const auditSources = ["cli", "http", "ws", "nats", "serve", "mcp"] as const;
export type AuditSource = (typeof auditSources)[number];

/** `refused` is before the first effect, `failed` after it. Without a further record, `started` was interrupted. */
export const auditOutcomes = ["started", "succeeded", "failed", "refused"] as const;

/** A program may propose these, and a user approves. */
export const proposalKinds = ["apply", "deploy", "env.write"] as const;
export type ProposalKind = (typeof proposalKinds)[number];

/** The last six are ends. */
export const proposalStates = [
  "pending",
  "approved",
  "running",
  "done",
  "failed",
  "denied",
  "stale",
  "expired",
  "interrupted",
] as const;

export const driftStates = ["missing", "unexpected", "different", "absent", "stale"] as const;

/** The parts of a process that can be unknown; its definition never is. */
export const runningParts = ["code", "values", "state"] as const;

export const appKinds = ["service", "job", "task"] as const;

/** The activities of a process. PM2's own status is not enough for them. */
export const processStates = [
  "online",
  "starting",
  "stopping",
  "running",
  "waiting",
  "ended",
  "failed",
  "stopped",
  "errored",
  "given up",
  "crash loop",
  "not loaded",
  "hung",
  "missing",
  "unknown",
] as const;
export type ProcessStateName = (typeof processStates)[number];

export const settingNames = [
  "autorestart",
  "cronRestart",
  "errorFile",
  "expBackoffRestartDelay",
  "gid",
  "killTimeout",
  "listenTimeout",
  "logDateFormat",
  "logFile",
  "maxMemoryRestart",
  "maxRestarts",
  "minUptime",
  "outFile",
  "restartDelay",
  "shutdownWithMessage",
  "stopExitCodes",
  "treekill",
  "uid",
  "waitReady",
] as const;
export type SettingName = (typeof settingNames)[number];

export const stepKinds = [
  "preflight",
  "register",
  "start",
  "resume",
  "update",
  "scale",
  "replace",
  "remove",
  "save",
] as const;

/** `none` are lost, some instances are away, all are away during a restart, or all are away until a start. */
export const disruptions = ["none", "partial", "gap", "down"] as const;

export const stepNotes = [
  "CODE_NOT_RESTORABLE",
  "DUMP_STALE",
  "ENV_FILE_UNKNOWN_BEFORE",
  "GAP_BY_FORK",
  "INTERPRETER_IGNORED_IN_CLUSTER",
  "LISTEN_TIMEOUT_SHORT",
  "NO_PROBE",
  "PINNED",
  "PREFLIGHT_IMPOSSIBLE",
] as const;

export const planFormats = ["text", "markdown"] as const;

/** A release that was interrupted is `half`. */
export const releaseOutcomes = ["running", "applied", "unchanged", "refused", "reverted", "half"] as const;

export const stepPhases = ["not-begun", "begun", "done", "failed", "reverted"] as const;

export const eventKinds = [
  "start",
  "exit",
  "restart",
  "stop",
  "delete",
  "action",
  "write",
  "apply",
  "deploy",
  "daemon",
] as const;

/** Why a node of the fleet has no result. */
export const missingStates = ["failed", "silent", "away", "refused", "other-version"] as const;

export const causes = [
  "crash",
  "exit",
  "memory-limit",
  "oom-kill",
  "watch",
  "cron",
  "svcm",
  "pm2-cli",
  "signal",
  "daemon",
  "unknown",
] as const;
export type Cause = (typeof causes)[number];

export const certainties = ["certain", "likely", "unknown"] as const;

/** From the least to the most severe. */
export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal"] as const;
export type LogLevel = (typeof logLevels)[number];

export const logStreams = ["out", "err"] as const;
export type LogStream = (typeof logStreams)[number];

/** Add new ones at the end, because files store values by position. */
export const hostHistoryMetrics = ["cpuPercent", "memoryPercent", "diskPercent"] as const;

/** Add new ones at the end, too. */
export const processHistoryMetrics = [
  "cpuPercent",
  "memoryBytes",
  "readBytesPerSecond",
  "writeBytesPerSecond",
  "restartCount",
] as const;

export const alertRules = [
  "not-online",
  "crash-loop",
  "job",
  "memory-growth",
  "disk",
  "drift",
  "pm2-away",
  "boot",
] as const;
export type AlertRule = (typeof alertRules)[number];

export const alertStates = ["firing", "resolved", "test"] as const;

export const recorderStarts = ["flag", "file", "request"] as const;
export type RecorderStart = (typeof recorderStarts)[number];

/** A larger compressed file could not be searched. */
export const LOG_SIZE = /^(?:[1-9]\d{2,3}K|[1-9]M|[1-5]\dM|60M)$/;
export const LOG_SIZE_WORDS = "a size from 100K to 60M, for example 50M";
export const MAX_KEPT_LOGS = 1000;

export function wordPattern(words: readonly string[]): string {
  return `^\\s*(?:${words.map(anyCasePattern).join("|")})\\s*$`;
}

export function anyCasePattern(word: string): string {
  return word.replaceAll(/./gsu, (letter) => (/[a-z]/i.test(letter) ? bothCases(letter) : escapeCharacter(letter)));
}

/** The Kelvin sign is also an upper-case K. */
function bothCases(letter: string): string {
  const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()];
  return `[${lower}${upper}${lower === "k" ? "\\u212A" : ""}]`;
}

function escapeCharacter(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/]/, "\\$&");
}

export const HOST = "SVC_SERVICE_MANAGEMENT_HOST";
export const PORT = "SVC_SERVICE_MANAGEMENT_PORT";
export const NATS_USER_CREDENTIALS = "SVC_SERVICE_MANAGEMENT_NATS_USER_CREDENTIALS";
export const AUTH_TOKEN = "SVC_SERVICE_MANAGEMENT_AUTH_TOKEN";

export const DEFAULT_HOST = "127.0.0.1";
export const DEFAULT_PORT = 3200;
