/** Loaded only if the repository has the file. */
import * as z from "zod";
import { roles } from "../api/rights.ts";
import { LOG_SIZE, LOG_SIZE_WORDS, MAX_KEPT_LOGS, alertRules } from "../api/names.ts";
import { runtimeContractSchema } from "../api/facts.ts";
import { DEPLOY_TIMEOUT, MAX_KEEP, MIN_KEEP, SHARED_PATH } from "./deploy-settings.ts";
import { type Member, healthMembers, rolloutFindings, rolloutMembers } from "./rollout-settings.ts";
import { mapValues } from "../words/record.ts";
import { type JsonSchema, describeSchema } from "../words/schema-part.ts";

export function rolloutSchema(): JsonSchema {
  const probe = { type: "object", additionalProperties: false, properties: membersSchema(healthMembers) };
  return {
    ...describeSchema("How svcm apply judges processes. Every member is optional."),
    type: "object",
    additionalProperties: false,
    properties: {
      ...membersSchema(rolloutMembers),
      health: {
        ...describeSchema("Health probes by the suffix of the app name, for example restapi."),
        type: "object",
        propertyNames: { pattern: "^[\\w.-]{1,200}$" },
        additionalProperties: { ...describeSchema("A health probe."), ...probe },
      },
    },
  };
}

function membersSchema(members: Readonly<Record<string, Member>>): JsonSchema {
  return mapValues(members, ({ help, schema }) => ({ ...describeSchema(help), ...schema }));
}

const environment = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]*$/)
  .describe("an environment name in small letters, for example production");
const serviceName = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]*$/)
  .describe("a service name, for example orders");
const path = z.string().min(1).describe("a path, for example pm2/ecosystem.config.js");
const paths = z.array(path).min(1).describe("a list of paths, for example [.env, .env.local]");
const text = z.string().min(1).describe("text that is not empty");

const ecosystemFile = z
  .strictObject({
    file: path,
    cwd: path.optional(),
    env: z.string().min(1).describe("the name after pm2 start --env, for example production").optional(),
    only: z.array(text).min(1).describe("the app names after pm2 start --only, for example [api]").optional(),
  })
  .describe("{ file, cwd?, env?, only? }");
const ecosystem = z
  .union([path, ecosystemFile, z.array(z.union([path, ecosystemFile])).min(1)])
  .describe("a path, { file, cwd?, env?, only? }, or a list of them");
const env = z
  .union([path, paths, z.strictObject({ file: path, encrypted: z.literal("dotenvx").optional() })])
  .describe("a path, a list of paths, or { file, encrypted: dotenvx }");

/** As in deployments.yaml, whose check writes the messages. */
const rollout = z
  .unknown()
  .superRefine((value, context) => {
    if (value === undefined) return;
    for (const { path: where, message } of rolloutFindings(value))
      context.addIssue({ code: "custom", path: [...where], message });
  })
  .meta(rolloutSchema());

const patterns = z
  .array(z.string().min(1).max(500))
  .min(1)
  .describe("a list of paths or patterns, for example [templates/**, prompts]");
const code = z
  .strictObject({ include: patterns.optional(), exclude: patterns.optional() })
  .describe("{ include?, exclude? }");

const variable = z
  .string()
  .regex(/^[A-Za-z_]\w*$/)
  .describe("the name of an environment variable, for example ALERT_WEBHOOK_URL; the URL itself stays out of the file");
const command = z
  .union([text, z.array(text).min(1), z.literal(false)])
  .describe("a command such as npm run build, a list of a program and its arguments, or false for none");
const sharedPath = z
  .string()
  .regex(SHARED_PATH)
  .describe("a path inside the repository, for example uploads; not node_modules, and without ..");
const deploy = z
  .strictObject({
    root: path.optional(),
    source: z
      .string()
      .regex(/^[^-\s]\S*$/)
      .describe("a remote such as origin, a path, or a URL")
      .optional(),
    shared: z.array(sharedPath).describe("a list of paths, for example [.env, uploads]").optional(),
    left: z.array(sharedPath).describe("a list of paths, for example [notes.txt]").optional(),
    install: command.optional(),
    build: command.optional(),
    check: command.optional(),
    env: z.array(variable).describe("a list of names, for example [SENTRY_RELEASE]").optional(),
    keep: z.int().min(MIN_KEEP).max(MAX_KEEP).optional(),
    timeout: z.string().regex(DEPLOY_TIMEOUT).describe("a time such as 90s or 10m").optional(),
  })
  .describe("{ root?, source?, shared?, left?, install?, build?, check?, env?, keep?, timeout? }");

const service = {
  folder: path.optional(),
  ecosystem: z.record(environment, ecosystem).optional(),
  apps: z.array(text).min(1).describe("a list of app names, for example [orders-api]").optional(),
  env: z.record(environment, env).optional(),
  template: path.optional(),
  rollout: rollout.optional(),
  code: code.optional(),
  deploy: deploy.optional(),
};

const [enumKey, redisUrlKey, integerKey, formKey, secretKey] = runtimeContractSchema.shape.keys.valueType.options;
const guess = {
  guess: z.string().min(1).describe("why svcm init proposed the entry; svcm keys confirm removes it").optional(),
};
const keys = z.record(
  runtimeContractSchema.shape.keys.keyType,
  z.discriminatedUnion("kind", [
    enumKey.extend(guess),
    redisUrlKey.extend(guess),
    integerKey.extend(guess),
    formKey.extend(guess),
    secretKey.extend(guess),
  ]),
);

const holdOff = z
  .string()
  .regex(/^(?:off|\d{1,4}[smh])$/)
  .describe("a time such as 90s, 10m or 2h, or off");
const alerts = z
  .strictObject({
    webhook: variable.optional(),
    webhookSecret: variable.optional(),
    command: z.array(text).min(1).describe("a program and its arguments, for example [notify-team, ops]").optional(),
    heartbeat: variable.optional(),
    rules: z.partialRecord(z.enum(alertRules), holdOff).optional(),
  })
  .describe("{ webhook?, webhookSecret?, command?, heartbeat?, rules? }");
const logs = z
  .strictObject({
    maxSize: z.string().regex(LOG_SIZE).describe(LOG_SIZE_WORDS).optional(),
    keep: z.int().min(1).max(MAX_KEPT_LOGS).describe(`an integer from 1 to ${MAX_KEPT_LOGS}`).optional(),
    compress: z.boolean().describe("true or false").optional(),
  })
  .describe("{ maxSize?, keep?, compress? }");
const member = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/)
  .describe("a name of letters, digits, - and _, for example web-1");
const nkey = z
  .string()
  .regex(/^U[A-Z2-7]{55}$/)
  .describe("the public key that svcm nats key prints")
  .optional();
const url = z
  .string()
  .regex(/^(?:nats|tls|ws|wss):\/\/[^\s@/]+$/)
  .describe("an address without a password, for example tls://nats.internal:4222");
const nats = z.strictObject({
  url: z.union([url, z.array(url).min(1)]).describe("an address, or a list of them"),
  users: z.record(
    member,
    z.strictObject({
      nkey,
      role: z.enum(roles),
      environments: z.array(environment).min(1).describe("a list of environments, for example [staging]").optional(),
      services: z.array(serviceName).min(1).describe("a list of services, for example [orders]").optional(),
    }),
  ),
  nodes: z.record(
    member,
    z.strictObject({
      nkey,
      labels: z.record(z.string().regex(/^[\w.-]{1,63}$/), z.string().max(200)).optional(),
    }),
  ),
  events: z
    .strictObject({
      maxAge: z
        .string()
        .regex(/^[1-9]\d{0,3}[hd]$/)
        .describe("a time such as 12h or 30d")
        .optional(),
      maxPerNode: z.int().min(100).max(1_000_000).optional(),
    })
    .describe("{ maxAge?, maxPerNode? }; maxPerNode limits the size, because a record has at most 8 KiB")
    .optional(),
  replicas: z
    .union([z.literal(1), z.literal(3), z.literal(5)])
    .describe("1, or with a NATS cluster 3 or 5: how many servers keep each stream")
    .optional(),
});

export const projectSchema = z.strictObject({
  version: z.literal(1),
  environments: z.record(environment, z.array(environment).describe("a list of aliases, for example [prod]")),
  default: environment.optional(),
  pm2Home: path.optional(),
  folders: z.array(path).describe("a list of folders, for example [../shared]").optional(),
  undecided: z
    .array(
      z.strictObject({
        file: path,
        environment: environment.optional(),
        why: text.optional(),
      }),
    )
    .describe("PM2 files that svcm init left out; while one is listed, plan and apply of its environment are refused")
    .optional(),
  logFolders: z.array(path).describe("a list of folders, for example [/var/log/orders]").optional(),
  logs: logs.optional(),
  services: z.record(serviceName, z.strictObject(service)).optional(),
  ...service,
  keys: keys.optional(),
  record: z.boolean().describe("true to let svcm serve record the history").optional(),
  alerts: alerts.optional(),
  nats: nats.optional(),
});

export type DeclaredProject = z.infer<typeof projectSchema>;
export type DeclaredService = z.infer<z.ZodObject<typeof service>>;
