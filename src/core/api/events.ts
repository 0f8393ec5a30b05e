import * as z from "zod";
import type { BodyOf } from "./body.ts";
import { driftEntry, unknownPart } from "./drift.ts";
import { processTree } from "./metrics.ts";
import { appKinds, causes, certainties, eventKinds, missingStates, processStates, tiers } from "./names.ts";

export const eventBody = z
  .strictObject({
    at: z.iso.datetime().describe("To the second, because PM2's log has no more."),
    bound: z
      .enum(["after", "before"])
      .optional()
      .describe("It happened after or before `at`, and nothing shows when. Absent if `at` is the time."),
    node: z.string().optional().describe("Name of the machine, if the event comes from another one."),
    app: z.string().nullable().describe("Name of the process; null for PM2's daemon and for changes of files."),
    pmId: z.int().optional().describe("PM2's number of the process."),
    kind: z
      .enum(eventKinds)
      .describe(
        "`exit`: it ended by itself. `stop`, `restart`, `delete`: it ended on request. `action`, `write`, `apply`: " +
          "svcm's audit log has it. `daemon`: PM2 itself started or stopped.",
      ),
    cause: z.enum(causes),
    certainty: z.enum(certainties).describe("`certain` if the evidence has no other explanation."),
    evidence: z
      .array(z.string())
      .describe("Sentences, the most important first. They hold no value of an environment."),
    exitCode: z
      .int()
      .optional()
      .describe("Absent if a signal ended the process, and if PM2's 0 may stand for a signal or an error."),
    signal: z.string().optional(),
    actor: z.string().optional().describe("A user or token, and the part of svcm or the PM2 command that was used."),
    auditId: z.string().optional().describe("The record of svcm's audit log that explains it."),
  })
  .describe("One event.");

const complete = z.boolean().describe("False if older events may exist behind the part of PM2's log that is read.");

export const eventsBody = z
  .strictObject({
    events: z.array(eventBody).describe("Newest first."),
    next: z.string().nullable().describe("The cursor of the next page; null on the last one."),
    complete,
    note: z
      .string()
      .optional()
      .describe("Why ends are missing, if PM2's log says nothing: there is none, or it was emptied."),
  })
  .describe("Events, newest first.");

export const fleetEventsBody = eventsBody
  .extend({
    missing: z
      .array(z.strictObject({ node: z.string(), state: z.enum(missingStates) }))
      .describe("The nodes whose newest events are not in the answer, because they did not answer or are away."),
  })
  .describe("Events of several machines, newest first. Each has the name of its node.");

export const whyBody = z
  .strictObject({
    app: z.string(),
    event: eventBody.nullable().describe("The last end; null if none is known."),
    reason: z
      .string()
      .nullable()
      .describe(
        "The first line of the last error in its error log, if it may belong to this end; without known secrets.",
      ),
    known: z
      .string()
      .describe("A sentence: since when ends are known, and what PM2's counters say. Shown without an end."),
    recentEnds: z
      .int()
      .min(0)
      .describe(
        "Number of times that it ended by itself, or because of its memory limit, in the 15 minutes up to the last end.",
      ),
    processes: z
      .array(
        z.strictObject({
          pmId: z.int(),
          status: z.string().describe("PM2's word for its state."),
          state: z.enum(processStates).describe("The present activity, as in the list of processes."),
          stateReason: z.string().nullable(),
        }),
      )
      .describe("The processes of this name that PM2 knows now."),
    now: z
      .array(z.string())
      .describe(
        "Sentences about its present state and what came before: a release, a changed value, a port that is taken, a full disk, waiting connections, a daemon that is gone.",
      ),
    errorLines: z
      .array(z.string())
      .describe(
        "The other last lines of its error log, without stacks and known secrets; empty if they cannot be shown safely.",
      ),
    complete,
  })
  .describe("When and why a process last ended.");

const listener = z.strictObject({
  address: z.string(),
  port: z.int(),
  waiting: z.int().describe("Connections that the process has not accepted yet."),
});

export const processShowBody = z
  .strictObject({
    name: z.string(),
    processes: z.array(
      z.strictObject({
        pmId: z.int(),
        status: z.string().describe("PM2's word."),
        kind: z.enum(appKinds),
        state: z
          .enum(processStates)
          .describe("The present activity, from PM2's word and everything else that svcm knows."),
        stateReason: z.string().nullable(),
        pid: z.int().nullable(),
        uptimeMs: z.number().nullable(),
        restartCount: z.int(),
        cpuPercent: z.number().nullable(),
        memoryBytes: z.number().nullable(),
        tree: processTree.optional(),
        execMode: z.string().nullable(),
        script: z.string().nullable(),
        problem: z.strictObject({ code: z.string(), details: z.string() }).nullable(),
        ports: z
          .array(listener)
          .nullable()
          .describe(
            "Sockets that it listens on; null if the system does not show them, or if PM2 listens for a cluster.",
          ),
        next: z.array(z.string()).describe("Rules by which PM2 ends or starts it next."),
      }),
    ),
    why: whyBody,
    ends: z.array(eventBody).describe("Its last ends, newest first."),
    declaration: z
      .strictObject({
        environment: z.string(),
        fileName: z.string(),
        isDeclared: z.boolean(),
        drift: z.array(driftEntry).describe("As in the metrics."),
        unknown: z.array(unknownPart).describe("It runs as declared only if this list and `drift` are empty."),
        error: z.string().optional().describe("Why nothing is compared, such as a file that cannot be read."),
      })
      .nullable()
      .describe("Null if the environment has no ecosystem file."),
    env: z
      .array(z.strictObject({ key: z.string(), tier: z.enum(tiers) }))
      .describe("Names of its variables that the contract or the ecosystem file knows. Values are never shown."),
  })
  .describe("One process: its state, its last ends and why, its declaration, and what acts on it next.");

export type ProcessShowResponse = BodyOf<typeof processShowBody>;
export type SvcmEvent = BodyOf<typeof eventBody>;
export type EventsResponse = BodyOf<typeof eventsBody>;
export type FleetEventsResponse = BodyOf<typeof fleetEventsBody>;
export type WhyResponse = BodyOf<typeof whyBody>;
