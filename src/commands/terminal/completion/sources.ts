import { interfaceFields, targetFields, type Field } from "../../../core/index.ts";

export interface Source {
  readonly from?: string;
  /** A closed list. */
  readonly values?: readonly string[];
  readonly paths?: "files" | "folders";
  readonly repeats?: boolean;
  /** For KEY=VALUE: the source that has the values of the key. */
  readonly assigns?: "value" | "field";
}

const FILE: Source = { paths: "files" };
const PROCESSES: Source = { from: "processes", repeats: true };
const ENTRY_FIELDS: readonly Field[] = [...targetFields, ...interfaceFields];

/**
 * `TOPIC: FLAG` and `COMMAND FLAG` take precedence over the flag alone. Flags with a fixed list of values are in the
 * manifest.
 */
export const FLAG_SOURCES: Readonly<Record<string, Source>> = {
  environment: { from: "environments" },
  "machine-environment": { from: "environments" },
  "ecosystem: environment": { from: "ecosystems" },
  "metrics: environment": { from: "ecosystems" },
  "restart environment": { from: "ecosystems" },
  "show environment": { from: "ecosystems" },
  "start environment": { from: "ecosystems" },
  "plan environment": { from: "ecosystems" },
  "apply environment": { from: "ecosystems" },
  "diff environment": { from: "ecosystems" },
  from: { from: "revisions" },
  ref: { from: "revisions" },
  node: { from: "nodes" },
  service: { from: "services" },
  "service-kind": { from: "serviceKinds" },
  root: { paths: "folders" },
  file: FILE,
  "stdin-filename": FILE,
  to: { from: "revisions" },
  id: { from: "processIds" },
  namespace: { from: "namespaces" },
  ...Object.fromEntries(
    ENTRY_FIELDS.flatMap(({ accepted, flag = "", flagAliases = [], name }) =>
      accepted ? [flag, ...flagAliases].map((spelling) => [spelling, { from: `field:${name}` }]) : [],
    ),
  ),
  clear: { from: "targetFields" },
  "config:set clear": { from: "configurationFields" },
  entrypoint: FILE,
  app: { from: "processes" },
  out: FILE,
  "plan-file": FILE,
};

export const ARGUMENT_SOURCES: Readonly<Record<string, readonly Source[]>> = {
  apply: [PROCESSES],
  approve: [{}],
  check: [{ paths: "files", repeats: true }],
  deny: [{}],
  audit: [{ from: "processes" }],
  mute: [{ from: "processes" }],
  note: [{ from: "processes" }, {}],
  "config:set": [{ from: "configurationFields", assigns: "field", repeats: true }],
  "config:validate": [FILE],
  deploy: [{ from: "revisions" }],
  diff: [{ from: "revisions" }],
  "env:diff": [{ from: "environments" }, { from: "environments" }],
  "env:get": [{ from: "visibleKeys", repeats: true }],
  "env:run": [{ paths: "files", repeats: true }],
  "env:unset": [{ from: "editableKeys", repeats: true }],
  "env:set": [{ from: "editableKeys", assigns: "value", repeats: true }],
  "env:profile:apply": [{ from: "profiles" }, { from: "editableKeys", assigns: "value", repeats: true }],
  "env:profile:show": [{ from: "profiles" }],
  events: [PROCESSES],
  explain: [{ from: "codes" }],
  logs: [PROCESSES],
  "interfaces:edit": [{ from: "adapters" }],
  "interfaces:remove": [{ from: "adapters" }],
  "interfaces:validate": [FILE],
  "metrics:history": [PROCESSES],
  "keys:add": [{}],
  "keys:allow": [{ from: "projectKeys", repeats: true }],
  "keys:confirm": [{ from: "guesses", repeats: true }],
  "keys:hide": [{ from: "projectKeys", repeats: true }],
  "nats:key": [FILE],
  plan: [PROCESSES],
  "nodes:show": [{ from: "nodeNames" }],
  rollback: [{}],
  "releases:show": [{}],
  delete: [PROCESSES],
  reload: [PROCESSES],
  restart: [PROCESSES],
  scale: [{ from: "processes" }, {}],
  show: [{ from: "processes" }],
  start: [PROCESSES],
  stop: [PROCESSES],
  wait: [PROCESSES],
  run: [{ from: "processes" }],
  "targets:duplicate": [{ from: "targets" }],
  "targets:edit": [{ from: "targets" }],
  "targets:remove": [{ from: "targets" }],
  "targets:validate": [FILE],
  "token:create": [{}],
  "token:revoke": [{}],
  validate: [FILE],
  why: [{ from: "processes" }],
};

/** Flags whose values only the user can know. */
export const FREE_TEXT_FLAGS: ReadonlySet<string> = new Set([
  ...ENTRY_FIELDS.flatMap(({ accepted, flag = "" }) => (accepted ? [] : [flag])),
  "allow",
  "context",
  "deadline",
  "expires",
  "fields",
  "free",
  "grep",
  "health",
  "keep",
  "kind",
  "max-size",
  "nats",
  "node-name",
  "reason",
  "regexp",
  "until",
  "url",
  "values",
  "user",
  "host",
  "port",
  "limit",
  "lock-timeout",
  "max-parallel",
  "message",
  "min-healthy",
  "plan",
  "interval",
  "since",
  "timeout",
]);
