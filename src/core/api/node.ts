import * as z from "zod";
import { type BodyOf, trustedText } from "./body.ts";
import type { ErrorCode } from "./issue.ts";
import { releaseOutcomes } from "./names.ts";

const count = z.int().min(0);
const percent = z.number().min(0).nullable();

export const nodeStateBody = z
  .strictObject({
    environment: z
      .string()
      .nullable()
      .describe("The environment that the processes are compared with; null if it is not known."),
    processes: z
      .union([
        z.strictObject({
          total: count,
          online: count,
          stopped: count,
          errored: count,
          troubled: count,
          restarts: count,
        }),
        z.strictObject({ error: z.string(), code: trustedText<ErrorCode>().optional() }),
      ])
      .describe(
        "The counts of PM2's list. `troubled` counts those with a problem that the status does not show, and `restarts` is the sum of PM2's counts.",
      ),
    troubles: z
      .array(z.strictObject({ app: z.string(), details: z.string() }))
      .describe("Up to five processes that are errored or have a problem, and the problem."),
    drift: z
      .strictObject({ missing: count, different: count, stale: count, undeclared: count })
      .nullable()
      .describe("Numbers of apps that differ from the ecosystem file; null if nothing could be compared."),
    host: z.strictObject({ cpuPercent: percent, memoryPercent: percent }).nullable(),
    release: z
      .strictObject({
        id: z.string(),
        environment: z.string(),
        outcome: z.enum(releaseOutcomes),
        commit: z.string().nullable().describe("The commit that the release applied; null without Git."),
        endedAt: z.iso.datetime().nullable(),
      })
      .nullable()
      .describe("The newest apply or rollback; null if svcm has applied nothing here."),
  })
  .describe("The state of a machine.");

export type NodeState = BodyOf<typeof nodeStateBody>;

/**
 * `silent`: connected, but did not respond before the deadline. `refused`: does not answer this user. `away`: not
 * connected. `duplicate`: online, but another svcm wants the same name.
 */
export const nodeStates = ["online", "silent", "refused", "away", "undeclared", "duplicate"] as const;

const facts = z.array(z.string());

export const listedNodeBody = nodeStateBody
  .partial()
  .extend({
    name: z.string(),
    state: z
      .enum(nodeStates)
      .describe(
        "`silent` is connected and did not answer in time; `refused` does not answer this user; `away` is not connected; `duplicate` answers, but another svcm wants the same name.",
      ),
    labels: z.record(z.string(), z.string()),
    svcm: z.string().optional(),
    nodejs: z.string().optional(),
    pm2: z.string().nullable().optional(),
    environments: facts.optional(),
    services: facts.optional(),
    startedAt: z.iso.datetime().optional(),
    reason: z.string().optional().describe("Why a node is not online."),
  })
  .describe("A machine as this server sees it.");

export const nodesBody = z
  .strictObject({
    nodes: z.array(
      listedNodeBody.extend({
        lastSeen: z.iso
          .datetime()
          .nullable()
          .describe(
            "The last answer to this server, by its clock; null without one since its start. The values of a node that is away are from then.",
          ),
      }),
    ),
  })
  .describe("The machines of the fleet.");

/** A machine as seen from another one. */
export type ListedNode = BodyOf<typeof listedNodeBody>;
export type NodesResponse = BodyOf<typeof nodesBody>;
