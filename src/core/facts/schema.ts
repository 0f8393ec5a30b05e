/**
 * The shape of the two declarative sources, `runtime-contract.yaml` and `capability-matrix.yaml`.
 * Loaded only where a repository carries a file of its own; everyone else has the packaged data.
 */
import * as z from "zod";

const KEY = /^[A-Z][A-Z0-9_]*$/;
const NAME = /^[a-z][a-z0-9+-]*$/;
const FILE = /^[\w.-]+$/;

const name = z.string().regex(NAME, "must be a lower-case name, for example dedicated-server");
const key = z.string().regex(KEY, "must be an environment key, for example SVC_HTTP_FRAMEWORK");
const text = z.string().min(1);
const names = z.array(name).min(1);
const unique = (list: readonly string[]): boolean => new Set(list).size === list.length;
const values = z.array(text).min(1).refine(unique, "holds a value twice");

const about = { label: text, help: text, reason: text.optional() };
const readable = z.enum(["editable", "read-only"]);
const tier = z.enum(["editable", "read-only", "never-exposed"]);

const keySpec = z.discriminatedUnion("kind", [
  z.strictObject({
    ...about,
    kind: z.literal("enum"),
    tier: readable,
    required: z.boolean().optional(),
    allowEmpty: z.boolean().optional(),
    default: z.string(),
    values,
    emptyLabel: text.optional(),
    rejected: z.record(text, text).optional(),
    aliases: z.record(text, text).optional(),
    browserOnly: z.array(text).optional(),
    otherwise: text.optional(),
  }),
  z.strictObject({
    ...about,
    kind: z.literal("redis-url"),
    tier,
    required: z.boolean().optional(),
    allowEmpty: z.boolean().optional(),
    default: z.string().optional(),
    credentials: z.boolean().optional(),
  }),
  z.strictObject({
    ...about,
    kind: z.literal("integer"),
    tier,
    required: z.boolean().optional(),
    minimum: z.int().min(0).optional(),
    maximum: z.int().optional(),
  }),
  z.strictObject({ ...about, kind: z.literal("text"), tier: z.literal("read-only") }),
  z.strictObject({ ...about, kind: z.literal("secret"), tier: z.literal("never-exposed") }),
]);

export const runtimeContractSchema = z.strictObject({
  version: z.literal(1),
  environments: z.record(
    name,
    z.strictObject({
      file: z.string().regex(FILE, "must be a file name without a folder"),
      aliases: z.array(name).optional(),
    }),
  ),
  defaultEnvironment: name,
  tiers: z.strictObject({
    editable: z.strictObject({ reason: text }),
    "read-only": z.strictObject({ reason: text }),
    "never-exposed": z.strictObject({ reason: text }),
  }),
  keys: z.record(key, keySpec),
  profiles: z.record(name, z.strictObject({ label: text, assignments: z.record(key, z.string()) })),
});

const labelled = { label: text };
const byKey = z.strictObject({ key });
const port = z.enum(["rest", "websocket", "grpc"]);

export const capabilityMatrixSchema = z.strictObject({
  version: z.literal(1),
  protocols: z.record(name, z.strictObject(labelled)),
  serviceKinds: z.record(name, z.strictObject({ ...labelled, ports: z.array(port).min(1), appSuffixes: names })),
  cloudProviders: z.record(name, z.strictObject(labelled)),
  runModes: z.record(name, z.strictObject({ ...labelled, cloudProviders: names })),
  serviceTypes: z.record(name, z.strictObject({ ...labelled, protocols: names, serviceKind: name.optional() })),
  deployTargetGroups: z.record(name, z.strictObject({ ...labelled, pm2Managed: z.boolean(), serviceTypes: names })),
  deployTargets: z.record(
    name,
    z.strictObject({ ...labelled, group: name, selfHosted: z.boolean(), regionRequired: z.boolean() }),
  ),
  unknownDeployTarget: z.strictObject({ regionRequired: z.boolean() }),
  pm2Profiles: names,
  pm2ProfileAliases: z.record(name, name).optional(),
  drivers: z.strictObject({ database: byKey, keyValue: byKey }),
  interfaceTypes: z.record(
    name,
    z.strictObject({
      ...labelled,
      port: port.optional(),
      frameworks: z.union([byKey, names], "must be a list of names or { key: SVC_... }"),
    }),
  ),
  migration: z.strictObject({ deployTargetAliases: z.record(text, name), pm2Profile: name }),
});

export type RuntimeContract = z.infer<typeof runtimeContractSchema>;
export type CapabilityMatrix = z.infer<typeof capabilityMatrixSchema>;
export type KeySpec = RuntimeContract["keys"][string];
export type EnumSpec = Extract<KeySpec, { kind: "enum" }>;
export type IntegerSpec = Extract<KeySpec, { kind: "integer" }>;
export type Tier = KeySpec["tier"];
export type Profile = RuntimeContract["profiles"][string];
