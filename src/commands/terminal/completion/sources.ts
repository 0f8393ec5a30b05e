/** Where the values of a flag or an argument come from. */
export interface Source {
  /** A source of the operation `completion.list`. */
  readonly from?: string;
  readonly paths?: "files" | "folders";
  /** The last argument may stand several times. */
  readonly repeats?: boolean;
  /** The argument is KEY=VALUE; this source, with the key, has the values. */
  readonly assigns?: "value" | "field";
}

const FILE: Source = { paths: "files" };
const PROCESSES: Source = { from: "processes", repeats: true };
const field = (name: string): Source => ({ from: `field:${name}` });

/** By flag; `TOPIC: FLAG` and `COMMAND FLAG` win over the flag alone. Flags with a closed list are in the manifest. */
export const FLAGS: Readonly<Record<string, Source>> = {
  environment: { from: "environments" },
  "ecosystem: environment": { from: "ecosystems" },
  "metrics: environment": { from: "ecosystems" },
  "process: environment": { from: "ecosystems" },
  "service-kind": { from: "serviceKinds" },
  root: { paths: "folders" },
  file: FILE,
  "stdin-filename": FILE,
  to: { from: "revisions" },
  id: { from: "processIds" },
  namespace: { from: "namespaces" },
  "service-type": field("serviceType"),
  "deploy-target": field("deployTarget"),
  "runtime-protocol": field("runtimeProtocol"),
  "database-driver": field("databaseDriver"),
  "keyvalue-driver": field("keyValueDriver"),
  "key-value-driver": field("keyValueDriver"),
  "pm2-profile": field("pm2Profile"),
  type: field("type"),
  framework: field("framework"),
  clear: { from: "targetFields" },
  "config:set clear": { from: "configurationFields" },
  entrypoint: FILE,
  app: { from: "processes" },
};

/** By command, in order. */
export const ARGUMENTS: Readonly<Record<string, readonly Source[]>> = {
  audit: [{ from: "processes" }],
  "config:set": [{ from: "configurationFields", assigns: "field", repeats: true }],
  "config:validate": [FILE],
  diff: [{ from: "revisions" }],
  "env:diff": [{ from: "environments" }, { from: "environments" }],
  "env:get": [{ from: "visibleKeys", repeats: true }],
  "env:set": [{ from: "editableKeys", assigns: "value", repeats: true }],
  "env:profile:apply": [{ from: "profiles" }, { from: "editableKeys", assigns: "value", repeats: true }],
  "env:profile:show": [{ from: "profiles" }],
  explain: [{ from: "codes" }],
  "interfaces:edit": [{ from: "adapters" }],
  "interfaces:remove": [{ from: "adapters" }],
  "interfaces:validate": [FILE],
  "process:restart": [PROCESSES],
  "process:start": [PROCESSES],
  "process:stop": [PROCESSES],
  "targets:duplicate": [{ from: "targets" }],
  "targets:edit": [{ from: "targets" }],
  "targets:remove": [{ from: "targets" }],
  "targets:validate": [FILE],
  validate: [FILE],
};

/** Flags and arguments whose values only the person knows. */
export const FREE_FLAGS: ReadonlySet<string> = new Set([
  "name",
  "region",
  "runtime",
  "controller",
  "url",
  "host",
  "port",
  "limit",
  "interval",
  "since",
]);
