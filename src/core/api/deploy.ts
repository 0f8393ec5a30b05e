import * as z from "zod";
import type { BodyOf } from "./body.ts";
import { auditSources } from "./names.ts";
import { planBody, releaseBody } from "./rollout.ts";

const moment = z.iso.datetime();

export const deployStates = [
  "preparing",
  "prepared",
  "applying",
  "done",
  "reverted",
  "failed",
  "half",
  "pruned",
] as const;

export const deployBody = z
  .strictObject({
    id: z.string().describe("Name of its folder; sorts by time."),
    commit: z.string().describe("Of a release file, the beginning of its digest."),
    digest: z.string().optional().describe("SHA-256 of a release file (`--from`)."),
    revision: z.string().describe("The branch, tag, commit or release file that was requested."),
    subject: z.string().describe("First line of the commit's message."),
    from: z.string().describe("Source of the commit, without credentials."),
    environment: z.string(),
    source: z.enum(auditSources),
    actor: z.string().optional(),
    startedAt: moment,
    endedAt: moment.nullable(),
    state: z
      .enum(deployStates)
      .describe(
        "`prepared`: made and checked, not applied. `done`: it served. `reverted`, `failed`: everything runs as before. `half`: some apps may run it, others the former release. `pruned`: its folder is removed.",
      ),
    reason: z.string().optional().describe("Why it did not come to serve."),
    release: z.string().nullable().describe("Id of its apply in the list of releases."),
    current: z.boolean().describe("The link `current` leads to it."),
  })
  .describe("A release folder and how it came to be.");

const namedCommits = z.array(z.strictObject({ commit: z.string(), subject: z.string() }));

const notes = z.array(z.string()).describe("Remarks that need no action now.");

export const deployPlanBody = z
  .strictObject({
    id: z.string(),
    commit: z.string(),
    revision: z.string(),
    subject: z.string(),
    folder: z.string(),
    from: z.string().nullable().describe("The commit that `current` leads to; null without one."),
    commits: z
      .strictObject({
        added: namedCommits.describe("Commits that `from` lacks."),
        removed: namedCommits.describe("Commits of `from` that the release lacks."),
      })
      .nullable()
      .describe("The newest 50 of each, newest first; null without `from`, and if Git does not have it."),
    plan: planBody,
    notes,
  })
  .describe("A prepared release, and the steps that would make PM2 run it.");

export const deployResultBody = z
  .strictObject({
    deploy: deployBody,
    plan: planBody,
    release: releaseBody.nullable().describe("Null if everything ran it already."),
    pruned: z.array(z.string()).describe("Releases whose folders were removed."),
    notes,
  })
  .describe("The result of a deploy.");

export type Deploy = BodyOf<typeof deployBody>;
export type DeployPlan = BodyOf<typeof deployPlanBody>;
export type DeployResult = BodyOf<typeof deployResultBody>;
