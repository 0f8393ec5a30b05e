/** Only a repository with such a file loads this module; others use the packaged data. */
import * as z from "zod";
import { formKinds, tiers } from "./names.ts";

const KEY = /^[A-Za-z_][\w.-]*$/;
const NAME = /^[a-z][a-z0-9+-]*$/;
const FILE = /^[\w.-]+$/;

// The descriptions appear in messages, in editors and in the reference.
const name = z.string().regex(NAME).describe("a lower-case name, for example dedicated-server");
const key = z.string().regex(KEY).describe("an environment key, for example SVC_HTTP_FRAMEWORK");
const text = z.string().min(1).describe("text that is not empty; write numbers, true and false in quotes");
const names = z.array(name).min(1).describe("a list of lower-case names, for example [http, grpc]");
const unique = (list: readonly string[]): boolean => new Set(list).size === list.length;
const values = z
  .array(text)
  .min(1)
  .refine(unique, "a value is listed twice")
  .describe("a list of at least one text, for example [info, debug]");

const about = { label: text.optional(), help: z.string().default(""), reason: text.optional() };
export const tier = z.enum(tiers);
const hidden = z.literal("never-exposed").optional();
const keySpec = z.discriminatedUnion("kind", [
  z.strictObject({
    ...about,
    kind: z.literal("enum"),
    tier: tier.optional(),
    required: z.boolean().optional(),
    allowEmpty: z.boolean().optional(),
    default: z.string().optional(),
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
    tier: tier.optional(),
    required: z.boolean().optional(),
    allowEmpty: z.boolean().optional(),
    default: z.string().optional(),
    credentials: z.boolean().optional(),
  }),
  z.strictObject({
    ...about,
    kind: z.literal("integer"),
    tier: tier.optional(),
    required: z.boolean().optional(),
    minimum: z.int().min(0).describe("an integer, at least 0").optional(),
    maximum: z.int().optional(),
  }),
  z.strictObject({
    ...about,
    kind: z.enum(formKinds),
    tier: tier.optional(),
    required: z.boolean().optional(),
    default: z.string().optional(),
  }),
  z.strictObject({ ...about, kind: z.enum(["secret", "connection-url"]), tier: hidden }),
]);

export const runtimeContractSchema = z.strictObject({
  version: z.literal(1),
  environments: z.record(
    name,
    z.strictObject({
      file: z.string().regex(FILE).describe("a file name without a folder, for example .env.dev"),
      aliases: z.array(name).optional(),
    }),
  ),
  defaultEnvironment: name,
  tiers: z
    .strictObject({
      editable: reasonOr("it selects an adapter or driver and carries no secret"),
      "read-only": reasonOr(
        "it is a connection endpoint or non-secret configuration; change it in the file, through review",
      ),
      "never-exposed": reasonOr("it is not in the allowlist, so it counts as a secret"),
    })
    .prefault({}),
  keys: z.record(key, keySpec),
  profiles: z.record(name, z.strictObject({ label: text, assignments: z.record(key, z.string()) })).default({}),
});

function reasonOr(reason: string) {
  return z.strictObject({ reason: text }).default({ reason });
}

const labelled = { label: text };
const byKey = z.strictObject({ key });
/** A repository may omit the drivers. */
const drivers = z.union([byKey, values]).optional().describe("a list of texts, or { key: SVC_... }");
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
  drivers: z.strictObject({ database: drivers, keyValue: drivers }).default({}),
  interfaceTypes: z.record(
    name,
    z.strictObject({
      ...labelled,
      port: port.optional(),
      frameworks: z.union([byKey, names]).optional().describe("a list of names, or { key: SVC_... }"),
    }),
  ),
  migration: z.strictObject({ deployTargetAliases: z.record(text, name), pm2Profile: name }),
});

export type DeclaredContract = z.infer<typeof runtimeContractSchema>;
export type RuntimeContract = Omit<DeclaredContract, "keys"> & { readonly keys: Readonly<Record<string, KeySpec>> };
export type CapabilityMatrix = z.infer<typeof capabilityMatrixSchema>;
type Completed<Spec> = Spec extends { kind: "enum" }
  ? Omit<Spec, "label" | "tier" | "default"> & { label: string; tier: Tier; default: string }
  : Spec extends unknown
    ? Omit<Spec, "label" | "tier"> & { label: string; tier: Tier }
    : never;
/** `guess` is present until a user confirms what `svcm init` proposed. */
export type KeySpec = Completed<DeclaredContract["keys"][string]> & { readonly guess?: string };
export type EnumSpec = Extract<KeySpec, { kind: "enum" }>;
export type IntegerSpec = Extract<KeySpec, { kind: "integer" }>;
export type FormKind = (typeof formKinds)[number];
export type Tier = z.infer<typeof tier>;
export type Profile = RuntimeContract["profiles"][string];
