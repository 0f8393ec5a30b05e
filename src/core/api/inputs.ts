/** Times are in milliseconds since 1970. The command line imports only the types. */
import * as z from "zod/mini";
import { processName, TIME_FORMAT, timeoutMs, proposalInputs, rolloutInputs, tokenInputs } from "./rollout-inputs.ts";
import {
  auditOutcomes,
  causes,
  documentSections,
  entrypoints,
  eventKinds,
  exportFormats,
  keyKinds,
  logLevels,
  logStreams,
  processActions,
  processScopes,
  schemaNames,
  tiers,
  LOG_SIZE,
  MAX_KEPT_LOGS,
} from "./names.ts";

const environment = z.optional(z.string());
const service = z.optional(z.string());
const values = z.record(z.string(), z.string());
const foreignKeys = z.enum(["ignore", "refuse"]);
const names = z.array(z.string());
const file = z.optional(z.string());
const documentEdit = { file, dryRun: z.boolean() };
const pmId = z.int().check(z.minimum(0));
/** As a query parameter also an age or a date. */
const time = z.int().check(z.minimum(0), z.meta({ format: TIME_FORMAT }));
const logCursor = z.optional(z.string().check(z.regex(/^[\w-]{1,7000}$/)));
const searched = z.optional(z.string().check(z.minLength(1), z.maxLength(1000)));
const nothing = z.strictObject({});
/** As in an alert: an app, a mount point, `PM2` or `reboot`. */
const marked = z.string().check(z.minLength(1), z.maxLength(300));
const document = z.looseObject({});

export const inputs = {
  "alerts.test": nothing,
  /** `text` is part of a name. With `calls`, also what programs asked over the Model Context Protocol. */
  "audit.list": z.strictObject({
    calls: z.optional(z.boolean()),
    limit: z.optional(z.int().check(z.minimum(1), z.maximum(1000))),
    since: z.optional(time),
    outcome: z.optional(z.enum(auditOutcomes)),
    text: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
  }),
  "boot.disable": z.strictObject({ user: z.optional(z.string()) }),
  "boot.drain": nothing,
  /** Without `user`, the one who runs svcm, or as root the owner of PM2_HOME. */
  "boot.enable": z.strictObject({ user: z.optional(z.string()), print: z.boolean() }),
  "boot.restore": nothing,
  "boot.save": nothing,
  "boot.show": z.strictObject({ environment, service }),
  "code.explain": z.strictObject({ code: z.string() }),
  "completion.list": z.strictObject({ source: z.string() }),
  "contract.show": nothing,
  "configuration.set": z.strictObject({ ...documentEdit, values, clear: names }),
  /** With `from`, returns the difference of the two documents, without a patch. */
  "declarations.plan": z.strictObject({ document, from: z.optional(document) }),
  /** Without `node`, the Node.js of svcm. \`goBack\` undoes a renewal that was cut off. */
  "daemon.renew": z.strictObject({ node: z.optional(z.string()), goBack: z.boolean() }),
  "daemon.show": nothing,
  "declarations.read": nothing,
  "declarations.write": z.strictObject({ document, ifMatch: z.optional(z.string()) }),
  /** With `offline`, findings that depend on this machine are left out. */
  "ecosystem.check": z.strictObject({ environment, service, offline: z.optional(z.boolean()) }),
  "ecosystem.drift": z.strictObject({ environment, service }),
  "ecosystem.show": z.strictObject({ environment, service, serviceKind: z.optional(z.string()) }),
  /** `keys` limits the response; each key must be visible. */
  "env.app": z.strictObject({ environment, service, app: z.string(), keys: z.optional(z.array(z.string())) }),
  /** `file` is checked alone, instead of the files of an environment. */
  "env.check": z.strictObject({ environment, service, file }),
  /** `app` is an app of the environment's ecosystem file. With `all`, the response contains secrets. */
  "env.export": z.strictObject({
    environment,
    service,
    app: z.optional(z.string()),
    format: z.enum(exportFormats),
    all: z.boolean(),
  }),
  "env.diff": z.strictObject({ from: z.string(), to: z.string(), service }),
  "env.plan": z.strictObject({ environment, service, values, foreignKeys }),
  /** Without `filesOnly`, the ecosystem file's variables of `app`, or of the only app, override the env file. */
  "env.process": z.strictObject({ environment, service, app: z.optional(z.string()), filesOnly: z.boolean() }),
  /** `keys` limits the response; each key must be visible. */
  "env.read": z.strictObject({ environment, service, keys: z.optional(z.array(z.string())) }),
  /** `content` is the whole edited file, `ifMatch` the entity tag of the version that was read. */
  "env.rewrite": z.strictObject({ environment, service, content: z.instanceof(Uint8Array), ifMatch: z.string() }),
  "env.source": z.strictObject({ environment, service }),
  "env.template": z.strictObject({ environment, service, check: z.boolean() }),
  "env.unset": z.strictObject({ environment, service, keys: names, dryRun: z.boolean() }),
  "env.write": z.strictObject({ environment, service, values, ifMatch: z.optional(z.string()), foreignKeys }),
  /** `app` is added to `apps`. `since` is a day ago by default. `cursor` comes from the previous page. */
  "events.list": z.strictObject({
    app: z.optional(processName),
    apps: z.optional(z.array(processName)),
    since: z.optional(time),
    until: z.optional(time),
    cause: z.optional(z.enum(causes)),
    kind: z.optional(z.enum(eventKinds)),
    limit: z.optional(z.int().check(z.minimum(1), z.maximum(1000))),
    cursor: z.optional(z.string().check(z.regex(/^\d{1,15}\.\d{1,9}$/))),
  }),
  /** Without a name, the process that ended last. */
  "event.why": z.strictObject({ name: z.optional(processName) }),
  "identity.show": nothing,
  /**
   * `series` is a text such as `host,orders-api/0:memoryBytes`, by default every series. `from` is an hour ago by
   * default.
   */
  "history.show": z.strictObject({
    series: z.optional(z.string().check(z.minLength(1), z.maxLength(4000))),
    from: z.optional(time),
    to: z.optional(time.check(z.minimum(1), z.maximum(8_640_000_000_000_000))),
    points: z.optional(z.int().check(z.minimum(1), z.maximum(2000))),
  }),
  "history.record": z.strictObject({ on: z.boolean() }),
  "interface.add": z.strictObject({ ...documentEdit, values }),
  /** `which` is a controller mapping, or the index of the adapter in the list. */
  "interface.edit": z.strictObject({ ...documentEdit, which: z.string(), values }),
  "interface.remove": z.strictObject({ ...documentEdit, which: z.string() }),
  /** Without `keys`, confirms every guess. */
  "keys.confirm": z.strictObject({ keys: z.optional(names), dryRun: z.boolean() }),
  /** Without `kind`, the name of the key decides; `values` are those of an enum. */
  "keys.add": z.strictObject({
    keys: names,
    kind: z.optional(z.enum(keyKinds)),
    values: z.optional(names),
    editable: z.boolean(),
    dryRun: z.boolean(),
  }),
  "keys.list": nothing,
  "keys.set-tier": z.strictObject({ keys: names, tier: z.enum(tiers), dryRun: z.boolean() }),
  /**
   * `app` is added to `apps`; without a name, every process is read. `before` and `after` are cursors. `regexp` is a
   * JavaScript pattern, `context` a number of lines. Without `isBounded`, whole files are read if necessary.
   */
  "logs.read": z.strictObject({
    app: z.optional(processName),
    apps: z.optional(z.array(processName)),
    since: z.optional(time),
    until: z.optional(time),
    before: logCursor,
    after: logCursor,
    limit: z.optional(z.int().check(z.minimum(1), z.maximum(100_000))),
    grep: searched,
    regexp: searched,
    ignoreCase: z.optional(z.boolean()),
    context: z.optional(z.int().check(z.minimum(0), z.maximum(100))),
    level: z.optional(z.enum(logLevels)),
    stream: z.optional(z.enum(logStreams)),
    isBounded: z.optional(z.boolean()),
  }),
  /** Without `apply`, nothing changes. With `heads`, older lines of logs go, too. `freeBytes` ends it early. */
  "logs.prune": z.strictObject({
    apply: z.boolean(),
    heads: z.optional(z.boolean()),
    freeBytes: z.optional(z.int().check(z.minimum(1))),
  }),
  /** `maxSize` and `keep` override those of `svcm.yaml`. */
  "logs.rotate": z.strictObject({
    dryRun: z.boolean(),
    maxSize: z.optional(z.string().check(z.regex(LOG_SIZE))),
    keep: z.optional(z.int().check(z.minimum(1), z.maximum(MAX_KEPT_LOGS))),
  }),
  "logs.usage": nothing,
  "metrics.expose": z.strictObject({ version: z.string(), format: z.enum(["openmetrics", "prometheus"]) }),
  "metrics.show": z.strictObject({ environment, service, asyncContext: z.optional(z.boolean()) }),
  "node.show": nothing,
  /**
   * The default `scope` is `process`. `environment` selects the ecosystem file. `name` or `pmId` selects one process,
   * `names` and `pmIds` several. With `wait`, started processes must also become healthy. `timeoutMs` limits each wait.
   */
  "process.act": z.strictObject({
    action: z.enum(processActions),
    scope: z.optional(z.enum(processScopes)),
    name: z.optional(processName),
    pmId: z.optional(pmId),
    names: z.optional(z.array(processName)),
    pmIds: z.optional(z.array(pmId)),
    namespace: z.optional(processName),
    environment,
    service,
    wait: z.optional(z.boolean()),
    timeoutMs,
  }),
  "process.list": nothing,
  /** Starts a job or task once. */
  "process.run": z.strictObject({ name: processName, namespace: z.optional(processName), timeoutMs }),
  "process.show": z.strictObject({ name: processName, environment, service }),
  /** `instances` is the number of processes that the app will have. */
  "process.scale": z.strictObject({
    name: processName,
    namespace: z.optional(processName),
    instances: z.int().check(z.minimum(1), z.maximum(1000)),
    wait: z.optional(z.boolean()),
    timeoutMs,
  }),
  /** Selects processes as `process.act` does; without a target, every process. */
  "process.wait": z.strictObject({
    names: z.array(processName),
    pmIds: z.array(pmId),
    namespace: z.optional(processName),
    timeoutMs,
  }),
  "profile.apply": z.strictObject({ environment, service, profile: z.string(), values, dryRun: z.boolean() }),
  "profile.list": nothing,
  "profile.show": z.strictObject({ profile: z.string() }),
  /** With `offline`, PM2 and the machine are not checked. */
  "project.doctor": z.strictObject({ version: z.string(), offline: z.boolean() }),
  /**
   * Without `write`, nothing changes. `only` limits the proposal. `confirm` removes the list of undecided PM2 files from
   * `svcm.yaml`, and does nothing else. `allow` are keys that svcm may write, `health` the path of a probe by app; both
   * are for a new `svcm.yaml`. `machineEnvironment` is recorded on this machine, outside of the repository.
   */
  "project.init": z.strictObject({
    write: z.boolean(),
    only: z.optional(z.enum(["layout", "keys"])),
    confirm: z.optional(z.boolean()),
    allow: z.optional(names),
    health: z.optional(values),
    machineEnvironment: environment,
  }),
  "mark.list": nothing,
  /** `until` is a duration, a day of the week or a time; without it, the mute ends. Without `kinds`, those of the present troubles. */
  "mark.mute": z.strictObject({
    subject: marked,
    until: z.optional(z.string().check(z.maxLength(40))),
    kinds: z.optional(
      z
        .array(z.string().check(z.regex(/^(?:(?:PROCESS|JOB)_[A-Z_]{1,40}|[a-z][a-z0-9 -]{1,30})$/)))
        .check(z.minLength(1), z.maxLength(20)),
    ),
    reason: z.optional(z.string().check(z.maxLength(200))),
  }),
  /** An empty text removes the note. */
  "mark.note": z.strictObject({ subject: marked, text: z.string().check(z.maxLength(500)) }),
  ...proposalInputs,
  ...rolloutInputs,
  "schema.show": z.strictObject({ document: z.enum(schemaNames) }),
  /**
   * `file` is relative to the root; `section` limits the check. With `content`, svcm uses only the name of the file.
   */
  "deployments.check": z.strictObject({
    file: z.optional(z.string()),
    section: z.optional(z.enum(documentSections)),
    content: z.optional(z.instanceof(Uint8Array)),
  }),
  "deployments.diff": z.strictObject({ file: z.optional(z.string()), from: z.string(), to: z.optional(z.string()) }),
  "deployments.migrate": z.strictObject(documentEdit),
  "entry.question": z.strictObject({ file, section: z.enum(["interfaces", "deployments"]), values }),
  "suite.validate": z.union([z.instanceof(Uint8Array), z.looseObject({})]),
  "startup.check": z.strictObject({
    environment,
    service,
    entrypoint: z.enum(entrypoints),
    app: z.optional(z.string()),
  }),
  /** `paths` are relative to the root; none for everything. */
  "repository.check": z.strictObject({ paths: names, strict: z.boolean() }),
  "status.show": z.strictObject({ environment, service }),
  "target.add": z.strictObject({ ...documentEdit, values }),
  "target.duplicate": z.strictObject({ ...documentEdit, name: z.string(), as: z.optional(z.string()) }),
  "target.edit": z.strictObject({ ...documentEdit, name: z.string(), values, clear: names }),
  "target.remove": z.strictObject({ ...documentEdit, name: z.string() }),
  ...tokenInputs,
} as const satisfies Record<string, z.ZodMiniType>;

/** The events of several machines. `node` is a name, labels or `all`; the default is `all`. */
export const fleetEventsInput = z.extend(inputs["events.list"], {
  node: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
});
export type FleetEventsInput = z.infer<typeof fleetEventsInput>;

export type OperationId = keyof typeof inputs;
export type InputOf<Id extends OperationId> = z.infer<(typeof inputs)[Id]>;
