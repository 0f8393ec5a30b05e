/** The API's description and the types of the operations derive from these schemas. */
import * as z from "zod";
import { looseObject, pick } from "zod/mini";
import { capabilityMatrixSchema, runtimeContractSchema, tier } from "./facts.ts";
import { auditRecord } from "./audit-record.ts";
import { type BodyOf, trustedText, issueBody } from "./body.ts";
import type { ErrorCode } from "./issue.ts";
import { inputs } from "./inputs.ts";
import { metricsPayload } from "./metrics.ts";
import { planBody, releaseFailure } from "./rollout.ts";

const environment = z.string().describe("The requested environment, trimmed and lower-cased; an alias stays an alias.");
const fileName = z.string().describe("The env file that the environment resolves to, in the config directory.");
const keys = z.array(z.string());

export const failureBody = z
  .strictObject({
    error: z.string().describe("The failed operation, in the same words for every case of a kind."),
    details: z.string().optional().describe("The exact problem, and the accepted values."),
    code: trustedText<ErrorCode>()
      .optional()
      .describe("A stable code, or the file system's own, for example `ENOSPC`."),
    path: z.string().optional().describe("The file that the failure is about."),
    issues: z.array(issueBody).optional(),
    plan: planBody.optional().describe("Of `PLAN_STALE`: the plan as it is now."),
    failure: releaseFailure.optional(),
  })
  .describe("Every answer with a status of 400 or more.");

const envRead = {
  environment,
  fileName,
  path: z.string().optional().describe("Absolute path of the file that a write changes, if `svcm.yaml` declares it."),
  editableKeys: keys.describe("The write allowlist."),
  values: z
    .record(z.string(), z.string())
    .describe("Every editable and read-only key. An editable key that the file lacks shows its default."),
};

export const envReadBody = z.strictObject(envRead).describe("The visible part of an env file.");

export const envWriteRequest = pick(inputs["env.write"], { environment: true, service: true, values: true });

export const recorderRequest = pick(inputs["history.record"], { on: true });

const effectOfWrite = {
  staleProcesses: z
    .array(
      z.strictObject({
        name: z.string(),
        pmIds: z.array(z.int()).describe("PM2's numbers of the processes."),
        scope: z
          .enum(["process", "ecosystem"])
          .describe("Of the restart that ends it. `ecosystem`: the process got the value from its start."),
        environment: z
          .string()
          .optional()
          .describe("With the scope `ecosystem`: as which the process runs, and as which it has to be restarted."),
      }),
    )
    .describe("Running processes of the apps that read the file. They have the former value until a restart."),
  overrides: z
    .array(z.strictObject({ key: z.string(), app: z.string(), fileName: z.string() }))
    .describe("Keys for which the ecosystem file sets another value, which wins for the app."),
  elsewhere: z
    .array(z.string())
    .describe("Environments as which the apps of the file run, if no process of them reads the file."),
  unknownEffect: z.string().optional().describe("Why it is not known which processes have the former value."),
};

export const envWrittenBody = z
  .strictObject({
    ...envRead,
    changedKeys: keys.describe("Keys whose value changed."),
    ignoredKeys: keys.describe("Given keys outside the write allowlist."),
    warnings: z
      .array(issueBody)
      .describe("Changed lines that `node --env-file`, Bun or a shell may read differently than dotenv."),
    ...effectOfWrite,
  })
  .describe("The visible part of the env file after the write.");

export const deploymentsRequest = looseObject({});

export const deploymentsVerdictBody = z
  .strictObject({
    valid: z.boolean(),
    issues: z.array(issueBody),
    document: z
      .unknown()
      .optional()
      .describe("Of YAML only: what it holds, aliases expanded. Absent if it cannot be read, or JSON cannot hold it."),
  })
  .describe("The verdict on a deployments document. Of YAML, every issue has its line and column.");

export const envCheckBody = z
  .strictObject({ environment, fileName, issues: z.array(issueBody) })
  .describe("An env file against the runtime contract.");

const diffEntry = z.strictObject({
  key: z.string(),
  tier,
  state: z.enum(["same", "different", "only-from", "only-to"]),
  from: z.string().optional(),
  to: z.string().optional(),
});

export const envDiffBody = z
  .strictObject({
    from: environment,
    to: environment,
    entries: z.array(diffEntry).describe("Values of the never-exposed tier are absent; only the state is shown."),
  })
  .describe("Two environments, key by key.");

const ecosystemApp = z.strictObject({
  name: z.string(),
  script: z.string().describe("As declared; empty without one."),
  interpreter: z.string().describe("As declared, else what PM2 would take; `none` for a binary."),
  interpreterArgs: z.array(z.string()),
  args: z.array(z.string()),
  instances: z.int().describe("As many processes as PM2 starts on this machine."),
  execMode: z.enum(["fork", "cluster"]),
  cronRestart: z.string().nullable().describe("In the time zone of PM2's daemon; null without a schedule."),
  maxMemoryRestart: z.int().nullable().describe("In bytes; null without a limit."),
  env: z
    .record(z.string(), z.string())
    .describe("Never-exposed keys, secret-like names and URLs with credentials show `[REDACTED]`."),
  command: z
    .string()
    .describe(
      "`pm2 start <path> --only <name> --update-env`; empty if the app has no name, or PM2 finds none in the file.",
    ),
  cwd: z.string().optional().describe("The folder in which `command` has to be called; absent without svcm.yaml."),
});

export const ecosystemBody = z
  .strictObject({
    environment: z.string().describe("The requested environment, trimmed and lower-cased."),
    fileName: z.string().describe("The ecosystem file, or the one that would be read."),
    path: z.string().describe("Its absolute path."),
    exists: z.boolean().describe("False if the environment has no ecosystem file; then there are no apps."),
    apps: z.array(ecosystemApp),
    preview: z
      .strictObject({
        apps: z.array(z.string()).describe("Names of the apps that the service kind implies."),
        command: z.string().nullable().describe("Starts exactly those; null without one."),
        cwd: z.string().optional(),
      })
      .optional()
      .describe("If the request names a service kind."),
  })
  .describe("The declarations of an environment's PM2 ecosystem file, which runs again for each answer.");

const accepted = {
  tier: z.enum(["editable", "read-only", "never-exposed"]),
  label: z.string(),
  help: z.string(),
  reason: z.string().describe("Why the key has its tier: of a read-only one, why it is not written here."),
  accepted: keys.describe("Every value that the key accepts, or how it is formed."),
};
const [enumKey, redisUrlKey, integerKey, formKey, secretKey] = runtimeContractSchema.shape.keys.valueType.options;
const visibleKey = z.discriminatedUnion("kind", [
  enumKey.extend({ ...accepted, default: z.string() }),
  redisUrlKey.extend(accepted),
  integerKey.extend(accepted),
  formKey.extend(accepted),
  secretKey.extend(accepted),
]);

const { environments, defaultEnvironment, profiles } = runtimeContractSchema.shape;
const { drivers } = capabilityMatrixSchema.shape;

const resolvedEnvironment = z.union([
  z.strictObject({
    environment: z.string().describe("As it was set, trimmed and lower-cased; an alias stays an alias."),
    name: z.string().describe("The canonical name that it stands for."),
  }),
  z.strictObject({ refusal: failureBody.describe("How the API refuses a request without an environment.") }),
]);

export const contractBody = z
  .strictObject({
    runtimeContract: z.strictObject({
      environments,
      defaultEnvironment,
      environmentSpellings: keys.describe("Every accepted spelling of an environment."),
      keys: z.record(z.string(), visibleKey).describe("The editable and the read-only tier."),
      profiles: profiles.unwrap(),
    }),
    capabilityMatrix: capabilityMatrixSchema.extend({ drivers: drivers.unwrap() }),
    defaultEnvironment: z
      .strictObject({
        envFile: resolvedEnvironment.describe("Of the requests about env files."),
        ecosystem: resolvedEnvironment.describe("Of the requests about ecosystem files, metrics and processes."),
      })
      .describe("The environment of a request that names none: the server's NODE_ENV decides, else the contract."),
    machineEnvironment: z
      .nullable(z.string())
      .describe(
        "That of the last apply on this machine, else the one that `svcm init` recorded. null if none is known, if the server has a NODE_ENV, and for a limited token.",
      ),
    workspace: z
      .strictObject({
        root: z.string().describe("Folder of the repository."),
        configDir: z.string().describe("Folder of the env files."),
        pm2Dir: z.string().describe("Folder of the PM2 ecosystem files."),
      })
      .describe("Absolute paths."),
    host: z.string().describe("Name of the machine."),
    services: keys.describe("Names of the services that `svcm.yaml` declares; empty if it names none."),
    nodes: keys.describe("Names of the machines that `svcm.yaml` declares; empty without a fleet."),
  })
  .describe(
    "The two facts from which forms, selects and completions are built, and the repository that they belong to.",
  );

export const auditBody = z
  .strictObject({
    records: z.array(auditRecord).describe("Newest first."),
    complete: z
      .boolean()
      .describe(
        "False if older records may exist behind a part of the log that holds no records; that part is not read.",
      ),
  })
  .describe("The newest attempts to change something.");

export const pm2MetricsBody = metricsPayload;

export const healthBody = z
  .strictObject({
    status: z.literal("ok"),
    version: z.string(),
    server: z
      .string()
      .describe("Identifies the machine and the repository across restarts, ports and addresses. Opaque."),
  })
  .describe("The service runs; its version and its identity.");

export const targetsBody = z
  .array(
    z.strictObject({
      targets: z.array(z.string()).describe("Host and port of this server."),
      labels: z
        .record(z.string(), z.string())
        .describe("The labels of `svcm.yaml`, `instance` with the name of the node, and the path of its metrics."),
    }),
  )
  .describe("Targets for Prometheus' HTTP service discovery.");

export const openApiBody = z.record(z.string(), z.unknown()).describe("An OpenAPI 3.1 document.");

export const asyncApiBody = z.record(z.string(), z.unknown()).describe("An AsyncAPI 3.0 document.");

export type EnvReadResponse = BodyOf<typeof envReadBody>;
export type EnvWriteResponse = BodyOf<typeof envWrittenBody>;
export type EnvCheckResponse = BodyOf<typeof envCheckBody>;
export type EnvDiffResponse = BodyOf<typeof envDiffBody>;
export type DeploymentsVerdict = BodyOf<typeof deploymentsVerdictBody>;
export type EcosystemResponse = BodyOf<typeof ecosystemBody>;
export type ContractResponse = BodyOf<typeof contractBody>;
export type AuditListResponse = BodyOf<typeof auditBody>;
export type HealthResponse = BodyOf<typeof healthBody>;
export type ErrorBody = BodyOf<typeof failureBody>;
