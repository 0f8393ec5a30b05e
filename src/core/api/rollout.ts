import * as z from "zod";
import { type BodyOf, issueBody } from "./body.ts";
import { driftEntry, unknownPart } from "./drift.ts";
import { auditSources, disruptions, driftStates, releaseOutcomes, stepKinds, stepNotes, stepPhases } from "./names.ts";

const pmIds = z.array(z.int()).describe("PM2's numbers of the processes.");
const count = z.int().min(0);

const reason = driftEntry
  .omit({ name: true, pmIds: true, state: true })
  .extend({
    field: driftEntry.shape.field.describe(
      "`app` if the whole app is missing, stopped, unexpected, or `different`: it runs by another name.",
    ),
    state: z
      .enum([...driftStates, "stopped", "failing", "requested"])
      .describe(
        "As in drift. `stopped`: PM2 knows the process, and it does not run. `failing`: it does not stay up; `declared` counts the processes of the app, `running` those that stay up. `requested`: `restart` names the app, or the field cannot be known.",
      ),
  })
  .describe("A difference that the step ends.");

export const planStep = z
  .strictObject({
    do: z
      .enum(stepKinds)
      .describe(
        "`preflight` starts an app once on a spare port and deletes that process, `register` gives PM2 the definition of a job without running it, `start` an app that PM2 does not know, `resume` one that is stopped, `update` in place, `scale`, `replace` by " +
          "a deletion and a start, `remove`, `save` PM2's list for the next boot.",
      ),
    app: z.string(),
    pmIds,
    method: z
      .enum(["reload", "restart"])
      .optional()
      .describe("Of an update: `reload` keeps the old process until the new one listens."),
    instances: z.strictObject({ from: count, to: count }).optional(),
    port: z
      .strictObject({ from: z.int(), to: z.int() })
      .optional()
      .describe("The app listens on another port afterwards, so requests to the former one fail from then on."),
    disruption: z
      .enum(disruptions)
      .describe(
        "Requests: `none` is refused, `partial`: some instances are away, `gap`: all are away for a restart, `down`: they stay away, or the app does not stay up now.",
      ),
    why: z.array(reason),
    notes: z.array(z.enum(stepNotes)).describe("`svcm explain <code>` says more."),
  })
  .describe("One step. Steps run in order, one after another.");

export const planBody = z
  .strictObject({
    id: z
      .string()
      .nullable()
      .describe(
        "Identifies the steps and everything that they were computed from; null for a comparison of revisions.",
      ),
    environment: z.string().describe("The requested environment, trimmed and lower-cased."),
    fileName: z.string().describe("The ecosystem file."),
    path: z.string().describe("Its absolute path."),
    exists: z.boolean().describe("False if the environment has no ecosystem file; then there are no steps."),
    from: z
      .strictObject({ revision: z.string(), commit: z.string() })
      .optional()
      .describe("The revision whose declarations take the place of PM2's processes."),
    choices: z
      .strictObject({
        service: z.string().optional(),
        apps: z.array(z.string()).optional(),
        prune: z.boolean().optional(),
        preflight: z.boolean().optional(),
        restart: z.union([z.literal(true), z.array(z.string())]).optional(),
      })
      .describe("The choices of the request. The plan of an apply needs the same."),
    git: z
      .strictObject({
        commit: z.string(),
        dirty: z.array(z.string()).describe("Files behind the plan that differ from the commit."),
      })
      .nullable()
      .describe("Null without a repository of Git."),
    pm2: z.strictObject({ home: z.string() }).nullable().describe("Null for a comparison of revisions."),
    changed: z.boolean(),
    steps: z.array(planStep),
    unchanged: z.array(z.string()).describe("Apps that run as declared."),
    unknown: z
      .array(unknownPart)
      .describe("Apps of which a part cannot be known, so it has no step. `restart` gives them one."),
    undeclared: z
      .array(
        z.strictObject({
          name: z.string(),
          pmIds,
          owned: z.boolean().describe("An apply started it, so --prune removes it."),
        }),
      )
      .describe("Processes that no file declares, and no step touches."),
    held: z
      .array(
        z.strictObject({
          name: z.string(),
          pmIds,
          state: z
            .enum(["stopped", "running", "failed"])
            .describe(
              "`stopped`: a command stopped it. `running`: a job that runs now keeps its definition. `failed`: the last run of a task.",
            ),
          by: z.string().nullable().describe("The user who stopped it with svcm; null if that is not known."),
          since: z.iso.datetime().nullable(),
        }),
      )
      .describe(
        "Apps that are not as declared and have no step: what was stopped stays stopped until a request names it.",
      ),
    leftOut: z
      .array(z.strictObject({ name: z.string(), pmIds }))
      .describe("Apps that differ and have no step, because they serve this request. svcm in a terminal plans them."),
    issues: z
      .array(issueBody)
      .describe("Errors: reasons why a step cannot run as declared. Warnings keep no step from running."),
    summary: z.strictObject({
      register: count,
      start: count,
      resume: count,
      update: count,
      scale: count,
      replace: count,
      remove: count,
    }),
  })
  .describe("The steps from what PM2 runs to what the ecosystem file declares. Nothing is changed.");

const moment = z.iso.datetime();

export const releaseFailure = z
  .strictObject({
    app: z.string(),
    reason: z.string(),
    errorLines: z
      .array(z.string())
      .describe("The last error that the app logged since the step began; empty for a caller who may not read logs."),
    port: z
      .strictObject({
        port: z.int(),
        pid: z.int(),
        program: z.string(),
        app: z.string().nullable().describe("The app of PM2 that holds it; null for another program."),
        formerApp: z
          .string()
          .optional()
          .describe("The app of PM2 that once started the program, and does not run it any more."),
      })
      .optional()
      .describe("The holder of the port that the app could not get."),
    back: z
      .string()
      .optional()
      .describe("The command that brings back what ran before; absent if there is nothing to bring back."),
  })
  .describe("Why the release failed, and the way back.");

const releasedCode = z.strictObject({
  id: z.string().nullable().describe("Name of the folder that `current` leads to afterwards; null for none."),
  root: z.string().describe("The deploy root."),
  subject: z.string().describe("First line of the commit's message."),
  former: z.string().nullable().describe("Name of the folder that `current` led to before."),
  isCurrent: z
    .literal(true)
    .optional()
    .describe("In a list: `current` leads to the folder that this release began to run."),
});

export const keptCode = z
  .strictObject({
    commit: z
      .string()
      .nullable()
      .describe("Of the newest release, whose code stays; null without a repository of Git."),
    former: z
      .string()
      .nullable()
      .describe("Of the last release before the undone one that was applied and not undone; null if none is kept."),
  })
  .describe("The code that stays, because a rollback leaves files in a folder as they are.");

export const releaseBody = z
  .strictObject({
    id: z.string().describe("Sorts by time."),
    plan: z.string().nullable().describe("The id of the plan."),
    rollout: z
      .strictObject({ id: z.string(), step: count })
      .optional()
      .describe("The rollout over several nodes that it is a step of."),
    undoes: z.string().optional().describe("The release that a rollback undid."),
    environment: z.string(),
    startedAt: moment,
    endedAt: moment.nullable().describe("Null if it still runs or was interrupted before its last step was done."),
    source: z.enum(auditSources),
    actor: z.string().optional(),
    message: z.string().optional(),
    git: planBody.shape.git,
    deploy: releasedCode.optional().describe("The release folder; absent if svcm deploy did not make it."),
    outcome: z
      .enum(releaseOutcomes)
      .describe(
        "`running`: it is under way. `applied`: everything runs as planned. `unchanged`: there was nothing to do. `refused`: a preflight failed, and nothing " +
          "was changed. `reverted`: a step failed, and every touched app has its former definition again. `half`: some apps may run as before, and others as planned.",
      ),
    code: z.string().optional().describe("Why it was reverted or is half."),
    failure: releaseFailure.optional(),
    unknown: z
      .array(unknownPart)
      .optional()
      .describe("Started apps of which the apply could not tell whether they work; absent without any."),
    steps: z.array(
      z.strictObject({
        do: z.enum([...stepKinds, "return"]).describe("`return`: a rollback gave the app its former definition."),
        app: z.string(),
        pmIds: pmIds.describe("PM2's numbers of the processes, also of those that the step started."),
        phase: z.enum(stepPhases).describe("`begun` only while the release runs."),
        reason: z.string().optional(),
        durationMs: count.optional().describe("From the begin to the end of the step; absent without an end."),
        newCode: z.literal(true).optional().describe("Other code began to run in the same folder."),
      }),
    ),
    keptCode: keptCode.optional(),
    cannotUndo: z
      .array(z.strictObject({ app: z.string(), what: z.enum(["code", "envFile"]) }))
      .describe("Lost for a rollback: code that was replaced, or an env file of which svcm has no copy."),
  })
  .describe("The record of an apply or a rollback. It holds no value.");

export const releaseListBody = z
  .strictObject({
    releases: z.array(releaseBody).describe("The newest first; svcm keeps ten."),
    foreign: z
      .strictObject({
        folder: z.string(),
        commit: z.string().nullable().describe("Of its file REVISION; null without one."),
      })
      .optional()
      .describe("The release of another tool, such as Capistrano, that `current` of the deploy root leads to."),
  })
  .describe("The applies and rollbacks of this repository.");

export type KeptCode = BodyOf<typeof keptCode>;
export type ReleaseFailure = BodyOf<typeof releaseFailure>;
export type PlanStep = BodyOf<typeof planStep>;
export type PlanReason = PlanStep["why"][number];
export type Plan = BodyOf<typeof planBody>;
export type ReleasedCode = BodyOf<typeof releasedCode>;
export type Release = BodyOf<typeof releaseBody>;
