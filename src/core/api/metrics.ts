/**
 * Names end with their unit. A value that could not be measured is `null`, or has `error` and `code`.
 * @see CONTRACT section 5
 */

import * as z from "zod";
import type { BodyOf } from "./body.ts";
import { driftEntry, unknownPart } from "./drift.ts";
import { appKinds, processStates } from "./names.ts";

const count = z.int().min(0);
const bytes = z.int().min(0);
const percent = z.number().min(0);
const failure = {
  error: z.string().describe("The reason why it could not be measured."),
  code: z.string().describe("Stable, or the system's own, for example `EACCES`."),
};

const loadAvg = z.strictObject({
  one: z.number().nullable(),
  five: z.number().nullable(),
  fifteen: z.number().nullable(),
});

const disk = z.union([
  z.strictObject({
    path: z.string(),
    totalBytes: bytes,
    freeBytes: bytes,
    availableBytes: bytes.describe("Free for users without privileges."),
    usedBytes: bytes,
    usedPercent: percent,
  }),
  z.strictObject({ path: z.string(), ...failure }),
]);

const hostSystem = z
  .strictObject({
    hostName: z.string(),
    os: z.string().describe("Name and release, such as `Debian GNU/Linux 12`."),
    kernel: z.string(),
    architecture: z.string(),
    virtualization: z
      .string()
      .nullable()
      .describe("The hypervisor or container; null on bare metal, or if it is not known."),
    bootedAt: z.iso.datetime().nullable(),
    fileSystems: z.array(z.strictObject({ path: z.string(), type: z.string(), totalBytes: z.int().min(0) })),
    interfaces: z.array(z.strictObject({ name: z.string(), addresses: z.array(z.string()) })),
  })
  .nullable()
  .describe("Facts that stay the same while the machine runs. Asked once; null before the answer.");

export const hostMetrics = z
  .strictObject({
    system: hostSystem,
    cpu: z.strictObject({
      coreCount: count,
      model: z.string().nullable(),
      loadAvg,
      usagePercent: percent.nullable().describe("Of all cores, 0 to 100, over the last interval."),
      perCore: z.array(percent.nullable()).describe("Of each core, 0 to 100, over the last interval."),
    }),
    memory: z.strictObject({
      totalBytes: bytes.nullable(),
      freeBytes: bytes.nullable(),
      availableBytes: bytes.nullable().describe("Available to programs without swapping."),
      usedBytes: bytes.nullable().describe("Total minus available."),
      usedPercent: percent.nullable(),
      processRssSumBytes: bytes.nullable().describe("Resident memory of the processes that PM2 runs."),
      otherBytes: bytes.nullable().describe("Used memory beside those processes; 0 if they share that much."),
    }),
    disk: z.array(disk),
  })
  .describe("The machine.");

const diskIo = z.strictObject({
  supported: z.boolean().describe("True if this platform reports the disk traffic of a process."),
  platform: z.string(),
  readBytes: bytes.nullable().describe("Read from the storage since the process started."),
  writeBytes: bytes.nullable().describe("Written to the storage since the process started."),
  readBytesPerSecond: z.number().min(0).nullable(),
  writeBytesPerSecond: z.number().min(0).nullable(),
  error: failure.error.optional(),
  code: failure.code.optional(),
});

export const asyncContextCodes = [
  "ASYNC_CONTEXT_ROUTE_MISSING",
  "ASYNC_CONTEXT_HTTP_ERROR",
  "ASYNC_CONTEXT_TIMEOUT",
  "ASYNC_CONTEXT_PARSE_ERROR",
  "ASYNC_CONTEXT_UNREACHABLE",
] as const;

const asyncContextFailure = z.strictObject({
  error: failure.error,
  code: z.enum(asyncContextCodes),
  status: z.int().optional().describe("The status of the answer, if one arrived."),
});

const asyncContextAnswer = z
  .looseObject({
    active: count.nullable(),
    recentStores: z
      .array(z.record(z.string(), z.unknown()))
      .describe("Every key of the newest stores; scalar values of keys that are not secret-like, else `[REDACTED]`."),
  })
  .describe("Counters of the process's async contexts, and every other number that it reports.");

export const processProblemCodes = [
  "PROCESS_FOLDER_MISSING",
  "PROCESS_WITHOUT_PID",
  "PROCESS_CRASH_LOOP",
  "PROCESS_MEMORY_LOOP",
  "PROCESS_WATCH_LOOP",
  "PROCESS_ERRORED",
  "PROCESS_NOT_LOADED",
  "PROCESS_HUNG",
  "JOB_FAILED",
  "JOB_MISSED",
  "JOB_STUCK",
] as const;

export const processProblem = z
  .strictObject({
    code: z.enum(processProblemCodes).describe("`svcm explain <code>` says what to do."),
    details: z.string().describe("The problem, in words. Never a secret."),
  })
  .nullable()
  .describe("A problem that PM2's status does not show; null without one.");

export const processTree = z
  .strictObject({
    processCount: z.int().min(2).describe("With the process that PM2 runs."),
    ownCpuPercent: z.number().min(0).nullable(),
    ownMemoryBytes: z.int().min(0).nullable(),
  })
  .describe(
    "Present if the process has descendants, such as the server below `npm start`. CPU and memory are then those of all of them; here are those of the process alone.",
  );

export const processMetrics = z
  .strictObject({
    name: z.string(),
    pmId: z.int(),
    pid: z.int().nullable().describe("Null if no process runs."),
    namespace: z.string().nullable(),
    status: z.string().describe("PM2's word, for example `online`, `stopped`, `errored`, `launching`."),
    kind: z
      .enum(appKinds)
      .describe("`service`: runs until it is stopped. `job`: a schedule starts it, and it ends. `task`: runs once."),
    state: z.enum(processStates).describe("The present activity, from PM2's word and everything else that svcm knows."),
    stateReason: z.string().nullable().describe("Continues the state, for example `next 03:00 Europe/Berlin`."),
    problem: processProblem,
    isOwn: z
      .literal(true)
      .optional()
      .describe("Present if the process serves this answer: svcm does not stop or restart it over HTTP or WebSocket."),
    cpuPercent: percent.nullable().describe("Of one core, over the last interval: two busy threads show 200."),
    memoryBytes: bytes.nullable().describe("Resident memory."),
    tree: processTree.optional(),
    restartCount: count.nullable(),
    unstableRestarts: count.nullable(),
    uptimeMs: z
      .number()
      .min(0)
      .nullable()
      .describe("Null unless it is online, or if the machine's clock was set back since."),
    startedAt: z.iso.datetime().nullable(),
    script: z.string().nullable(),
    interpreter: z.string().nullable(),
    execMode: z.string().nullable().describe("`fork` or `cluster`."),
    instances: count.nullable().describe("Number of processes that PM2 runs under this name."),
    watching: z.boolean().nullable(),
    nodeVersion: z.string().nullable(),
    version: z.string().nullable().describe("Of the app, from its package.json."),
    exitCode: z
      .int()
      .nullable()
      .describe("Of the last end; null also for 0, which PM2 reports for an end by a signal."),
    customMetrics: z
      .record(z.string(), z.union([z.number(), z.string()]))
      .describe("Metrics that the app reports through PM2, by its own names."),
    customMetricUnits: z
      .record(z.string(), z.string())
      .describe("Units of `customMetrics`, by the same names; a metric without a unit is absent."),
    diskIo,
    asyncContext: z
      .union([asyncContextFailure, asyncContextAnswer, z.null()])
      .describe("Null if it was not requested."),
  })
  .describe("A process that PM2 knows.");

const ecosystem = z.strictObject({
  fileName: z.string(),
  path: z.string(),
  exists: z.boolean().describe("False if the environment has no ecosystem file; then nothing is compared."),
  expectedProcessCount: count.nullable().describe("Processes that the declared apps make; null if the file fails."),
  missingExpected: z
    .array(z.string())
    .describe("Declared apps of which no process does what it should, such as services that are stopped or errored."),
  unexpected: z.array(z.string()).describe("Names of processes that no app declares."),
  drift: z.array(driftEntry),
  unknown: z.array(unknownPart).describe("Parts that may differ, too. Everything is as declared only without any."),
  planSteps: count.nullable().describe("Steps that the plan has now, without the save; null if the file fails."),
  error: failure.error.optional(),
  code: failure.code.optional(),
});

const summary = z.strictObject({
  processCount: count,
  onlineCount: count.describe("Processes with the state `online` or `running`."),
  stoppedCount: count.describe("Processes with the state `stopped`; not jobs that wait."),
  erroredCount: count.describe("Processes with the state `errored` or `given up`."),
  totalCpuPercent: percent.nullable().describe("Sum of the measured values; null without any."),
  totalMemoryBytes: bytes.nullable(),
  statusCounts: z.record(z.string(), count).describe("By PM2's word."),
  asyncContextActiveSum: count.nullable().describe("Null if no process answered."),
});

const collectedAt = z.iso.datetime();

export const metricsPayload = z
  .strictObject({
    source: z.literal("pm2"),
    collectedAt,
    environment: z.string().describe("The requested environment, trimmed and lower-cased."),
    ecosystem,
    summary,
    host: hostMetrics,
    processes: z.array(processMetrics).describe("By name, then by PM2's number."),
  })
  .describe("Processes and host at one moment.");

/** Of an object, those that are not as in the frame before. */
export const changedMembers = z.record(z.string(), z.unknown());

export const hostPayload = z
  .strictObject({ collectedAt, host: hostMetrics })
  .describe("The host alone, while PM2 cannot be read.");

export type HostMetrics = BodyOf<typeof hostMetrics>;
export type ProcessProblem = NonNullable<BodyOf<typeof processProblem>>;
export type ProcessMetrics = BodyOf<typeof processMetrics>;
export type MetricsPayload = BodyOf<typeof metricsPayload>;
export type HostPayload = BodyOf<typeof hostPayload>;
export type AsyncContextMetrics = ProcessMetrics["asyncContext"];

export type ProcessTree = BodyOf<typeof processTree>;

export type HostSystem = NonNullable<BodyOf<typeof hostSystem>>;
