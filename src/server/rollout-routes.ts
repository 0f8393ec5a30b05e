import { deployPlanBody } from "../core/api/deploy.ts";
import {
  applyRequest,
  begunBody,
  deployPlanRequest,
  deployRequest,
  processRunBody,
  rollbackPlanBody,
  rollbackRequest,
} from "../core/api/rollout-requests.ts";
import { planBody, releaseBody, releaseListBody } from "../core/api/rollout.ts";
import { inputs } from "../core/api/inputs.ts";
import {
  deployPlan,
  deployRun,
  processRun,
  releaseList,
  releaseShow,
  rolloutApply,
  rolloutPlan,
  rolloutRollback,
  rolloutRollbackPlan,
  type ErrorKind,
  proposalApprove,
  proposalDeny,
  proposalList,
} from "../core/index.ts";
import { bodyRefusals, operationRoute, type Route } from "./route.ts";
import { proposalBody, proposalListBody } from "../core/api/proposals.ts";

const planRefusals: readonly ErrorKind[] = [
  "INVALID_ENVIRONMENT",
  "ECOSYSTEM_FILE_FAILED",
  "PM2_FAILED",
  "FACT_INVALID",
];
const releaseRefusals: readonly ErrorKind[] = [
  ...bodyRefusals,
  "APPLY_LOCKED",
  "PM2_FAILED",
  "AUDIT_FAILED",
  "SERVICE_BUSY",
];
const deployRefusals: readonly ErrorKind[] = [
  ...planRefusals,
  ...bodyRefusals,
  "AUDIT_FAILED",
  "SERVICE_BUSY",
  "NOT_FOUND",
  "REVISION_FAILED",
  "DEPLOY_FAILED",
  "DEPLOY_IMPOSSIBLE",
  "DEPLOY_REFUSED",
  "DEPLOY_LOCKED",
];
/** After another apply, the client must read the new plan first, so waiting is useless. */
const briefLock = { lockTimeoutMs: 1_000 };

export const rolloutRoutes: readonly Route[] = [
  operationRoute("GET", "/api/runtime/plan", rolloutPlan, {
    summary: "Show the steps that would make PM2 run what an environment's ecosystem file declares.",
    tag: "pm2",
    description: "Each step has its reasons and its effect on requests. Nothing is changed, and no value is shown.",
    query: ["environment", "service", "apps", "prune", "preflight", "restart"],
    response: planBody,
    refusals: planRefusals,
  }),
  operationRoute("POST", "/api/runtime/apply", rolloutApply, {
    summary: "Run the steps of a plan, one after another.",
    tag: "pm2",
    description:
      "Names the plan that you read. If the plan has changed, the answer is 409 with `PLAN_STALE` and that plan. " +
      "Answers before the first step; `apply` frames and the release show the rest. The first failure restores the touched apps.",
    query: ["service"],
    body: applyRequest,
    fixed: briefLock,
    runsInBackground: true,
    response: begunBody,
    refusals: [
      ...planRefusals,
      ...releaseRefusals,
      "PLAN_STALE",
      "WORKTREE_DIRTY",
      "APPLY_REFUSED",
      "PROCESS_ACTION_REFUSED",
    ],
  }),
  operationRoute("POST", "/api/runtime/deploy/plan", deployPlan, {
    summary: "Prepare and check the release of a commit, and show the plan of its apply.",
    tag: "pm2",
    description:
      "Fetches, installs, builds and checks in a separate folder, which may take minutes. Nothing that runs is touched. " +
      "If the client disconnects before the release is prepared, its folder is removed.",
    query: ["service"],
    body: deployPlanRequest,
    fixed: briefLock,
    response: deployPlanBody,
    refusals: deployRefusals,
  }),
  operationRoute("POST", "/api/runtime/deploy", deployRun, {
    summary: "Make the commit run whose plan you read.",
    tag: "pm2",
    description:
      "Names the commit and the plan. Answers before the first step; `apply` frames and the release show the rest. The first failure restores code and configuration. The way back is a rollback.",
    query: ["service"],
    body: deployRequest,
    fixed: briefLock,
    runsInBackground: true,
    response: begunBody,
    refusals: [...deployRefusals, "APPLY_LOCKED", "PLAN_STALE", "APPLY_REFUSED", "PROCESS_ACTION_REFUSED"],
  }),
  operationRoute("GET", "/api/runtime/rollback", rolloutRollbackPlan, {
    summary: "Show the effect that a rollback would have on each app of a release.",
    tag: "pm2",
    description: "Without `release`, of the newest one that left something. Nothing is changed, and no value is shown.",
    query: ["release"],
    response: rollbackPlanBody,
    refusals: ["PM2_FAILED", "RELEASE_NOT_FOUND", "NOTHING_TO_ROLL_BACK", "APPLY_REFUSED"],
  }),
  operationRoute("POST", "/api/runtime/rollback", rolloutRollback, {
    summary: "Restore the processes and definitions that apps had before a release.",
    tag: "pm2",
    description:
      "Names the release and the plan of its rollback. Answers before the first step, as an apply does. After a deploy, the former code runs again; otherwise files, code and data stay as they are. A rollback is a release, so it can be undone.",
    body: rollbackRequest,
    fixed: briefLock,
    runsInBackground: true,
    response: begunBody,
    refusals: [
      ...releaseRefusals,
      "PLAN_STALE",
      "RELEASE_NOT_FOUND",
      "NOTHING_TO_ROLL_BACK",
      "APPLY_REFUSED",
      "DEPLOY_LOCKED",
      "DEPLOY_IMPOSSIBLE",
    ],
  }),
  operationRoute("GET", "/api/runtime/releases", releaseList, {
    summary: "List the newest applies and rollbacks of this repository.",
    tag: "pm2",
    description: "One that was cut off has no end, and its outcome is `half`. No value is shown.",
    response: releaseListBody,
    refusals: ["PM2_FAILED"],
  }),
  operationRoute("GET", "/api/runtime/releases/:release", releaseShow, {
    summary: "Show what a release did, step by step.",
    tag: "pm2",
    description: "While the release runs, its outcome is `running`. No value is shown.",
    response: releaseBody,
    refusals: ["PM2_FAILED", "RELEASE_NOT_FOUND", "NOTHING_TO_ROLL_BACK"],
  }),
  operationRoute("POST", "/api/runtime/process/run", processRun, {
    summary: "Run a job or task once, and answer when it has ended.",
    tag: "pm2",
    description:
      "Its schedule stays as it is. At the time limit, 10 minutes without `timeoutMs`, the outcome is `running`: it goes on. So it does if the client leaves. `/api/logs` shows what it writes.",
    body: inputs["process.run"],
    response: processRunBody,
    refusals: [
      ...bodyRefusals,
      "PROCESS_NOT_FOUND",
      "PROCESS_AMBIGUOUS",
      "PROCESS_ACTION_REFUSED",
      "PM2_FAILED",
      "AUDIT_FAILED",
    ],
  }),
];

const decisionRefusals: readonly ErrorKind[] = [
  ...bodyRefusals,
  "PROPOSAL_NOT_FOUND",
  "PROPOSAL_REFUSED",
  "PROPOSALS_FAILED",
  "AUDIT_FAILED",
];

/** A program proposes over MCP only, and only there it runs what was approved. */
export const proposalRoutes: readonly Route[] = [
  operationRoute("GET", "/api/proposals", proposalList, {
    summary: "List what programs proposed.",
    tag: "pm2",
    description: "Newest first. A pending one waits for a user for an hour. No secret is shown.",
    response: proposalListBody,
    refusals: ["PROPOSALS_FAILED"],
  }),
  operationRoute("POST", "/api/proposals/approve", proposalApprove, {
    summary: "Approve a proposal: it may run once within an hour, and exactly its plan.",
    tag: "pm2",
    description:
      "Needs a token on every address, and never that of the program that proposed. The plan is computed again; if it has changed, the answer is 409 with `PROPOSAL_STALE`.",
    body: inputs["proposal.approve"],
    response: proposalBody,
    refusals: [
      ...decisionRefusals,
      "PROPOSAL_STALE",
      "INVALID_ENVIRONMENT",
      "INVALID_PAYLOAD",
      "ENV_FILE_FAILED",
      "EDIT_REFUSED",
      "ECOSYSTEM_FILE_FAILED",
      "PM2_FAILED",
      "FACT_INVALID",
      "WORKTREE_DIRTY",
      "APPLY_REFUSED",
    ],
  }),
  operationRoute("POST", "/api/proposals/deny", proposalDeny, {
    summary: "Deny a proposal. It never runs.",
    tag: "pm2",
    description: "Also takes back an approval that was not used yet.",
    body: inputs["proposal.deny"],
    response: proposalBody,
    refusals: decisionRefusals,
  }),
];
