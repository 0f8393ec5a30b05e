import type { DeployPlan, DeployResult } from "../../api/deploy.ts";
import { defineOperation, type Caller } from "../../access/operation.ts";
import {
  type DeployPorts,
  note,
  openDeployRoot,
  requestOf,
  requireNotStopped,
  type DeployContext,
} from "../deploy-context.ts";
import { withAudit } from "../../access/with-audit.ts";
import { SvcmError } from "../../api/errors.ts";
import type { InputOf } from "../../api/inputs.ts";
import { ecosystemSpellings, requireEnvironment, resolveEnvironment, spellingsOf } from "../../project/resolve.ts";
import { type Applied, applyPlan, DEFAULT_LOCK_TIMEOUT_MS, requireApplicable } from "../../rollout/apply/apply.ts";
import { computePlan } from "../../rollout/planning.ts";
import type { Releases } from "../../rollout/ports.ts";
import { withMachineEnvironment } from "../../rollout/machine-environment.ts";
import {
  afterSteps,
  compareCommits,
  formerCommit,
  asDeploy,
  beforeFirstStep,
  isWithoutOthers,
  outcomeOf,
  unswitched,
  withoutOthers,
  noteForeignLayout,
  requireUntried,
} from "../refusals.ts";
import { findCode, findPrepared } from "../find-code.ts";
import type { DeployGit } from "../port-deploy-git.ts";
import type { ReleaseWorld } from "../port-deploys.ts";
import { checkPrepared, prepareRelease } from "../prepare.ts";
import { pruneReleases, recoverDeploys } from "../prune.ts";
import { servesWhole } from "../serves-whole.ts";
import { commitsOf, deployCommand, toDeploy, toPlace, type DeployRecord } from "../record.ts";

/** Prepares a release, and computes the plan of its apply. It runs code of the commit, so it needs the right to write. */
export const deployPlan = defineOperation({
  id: "deploy.plan",
  access: "write",
  run: (ports: DeployPorts, input, caller): Promise<DeployPlan> => planDeploy(ports, input, caller),
});

/** Deploys a commit. @throws {SvcmError} as `deploy` */
export const deployRun = defineOperation({
  id: "deploy.run",
  access: "write",
  run: (ports: DeployPorts, input, caller): Promise<DeployResult> => deploy(ports, input, caller),
});

/** To name a commit, which an agent waits for. */
const NAMING_LOCK_TIMEOUT_MS = 5000;

type Request = Omit<InputOf<"deploy.plan">, "adopt"> & { readonly adopt?: boolean | undefined };

interface PreparedDeploy {
  readonly context: DeployContext;
  readonly git: DeployGit;
  readonly record: DeployRecord;
  readonly world: ReleaseWorld;
  readonly former: string | null;
  /** Records the deploy before its first effect. */
  readonly begin: () => Promise<void>;
}

/** Makes and checks the release, and leaves it for the deploy. @throws {SvcmError} as {@link deploy}, before its apply */
function planDeploy(ports: DeployPorts, request: InputOf<"deploy.plan">, caller: Caller): Promise<DeployPlan> {
  return withDeploy(ports, request, caller, "deploy.prepare", async ({ context, git, record, world, former }) => {
    const { plan } = await computePlan(world, { ...requestOf(context), prune: request.prune });
    const { id, commit, revision, subject } = record;
    const from = await formerCommit(context, former);
    return {
      id,
      commit,
      revision,
      subject,
      folder: world.paths.release,
      from,
      commits: from === null ? null : await compareCommits(git, from, commit),
      plan,
      notes: context.notes,
    };
  });
}

/**
 * Prepares a release beside the running one, applies it with svcm's gate, and switches `current` after it serves. A
 * failure leaves code, configuration and `current` as they were.
 * @throws {SvcmError} DEPLOY_FAILED, DEPLOY_REFUSED, DEPLOY_LOCKED, NOT_FOUND, and the errors of an apply
 */
function deploy(ports: DeployPorts, input: InputOf<"deploy.run">, caller: Caller): Promise<DeployResult> {
  return withDeploy(ports, input, caller, "deploy.run", async (prepared) => {
    const { context, record, world, former } = prepared;
    const { root } = context;
    const { prune, plan, message, timeoutMs, minHealthyMs, switchEnvironment, switchCheckout } = input;
    const running = await findRunning(prepared, input);
    if (running !== undefined) return running;
    await prepared.begin();
    await root.append(record.id, { event: "apply", at: now(ports) });
    let hasBegun = false;
    const releases = recordRelease(ports.releases, async (release) => {
      await root.append(record.id, { event: "release", release });
      hasBegun = true;
    });
    const code = { id: record.id, root: root.layout.root, subject: record.subject, former };
    const request = {
      ...requestOf(context),
      prune,
      plan,
      message: message ?? record.subject,
      timeoutMs,
      minHealthyMs,
      switchEnvironment,
      switchCheckout,
    };
    try {
      const { applied, isCurrent } = await serve(prepared, () =>
        applyPlan({ ...world, releases }, request, caller, code),
      );
      await root.append(record.id, { event: "end", outcome: "done", at: now(ports) });
      const { pruned } = await pruneReleases(context, prepared.git);
      const own = (await root.records()).find(({ id }) => id === record.id) ?? record;
      return {
        deploy: toDeploy(own, isCurrent ? record.id : former),
        release: applied.release,
        plan: applied.plan,
        pruned,
        notes: context.notes,
      };
    } catch (error) {
      if (!(error instanceof SvcmError)) throw error;
      const reason = error.message.split("\n", 1).join();
      const { code: cause } = error.body;
      await root.append(record.id, { event: "end", outcome: outcomeOf(error), at: now(ports), reason, cause });
      const isBegun = hasBegun || error.kind === "APPLY_HALF";
      throw isBegun ? afterSteps(error, former) : beforeFirstStep(error);
    }
  });
}

/** Moves `current` once every step is done, also if an app without one failed meanwhile. */
async function serve(prepared: PreparedDeploy, apply: () => Promise<Applied>) {
  const { record, context } = prepared;
  const switchCurrent = () =>
    finish(prepared).catch((error: unknown) => {
      throw unswitched(error, record);
    });
  const applied = await apply().catch(async (error: unknown) => {
    if (!isWithoutOthers(error)) throw error;
    throw (await switchCurrent()) ? error : withoutOthers(error, record, context.service);
  });
  return { applied, isCurrent: await switchCurrent() };
}

/** Nothing is written if the commit runs already: a timer asks each minute. */
async function findRunning(
  { context, record, world, former }: PreparedDeploy,
  input: InputOf<"deploy.run">,
): Promise<DeployResult | undefined> {
  if (former !== record.id || record.state !== "done") return undefined;
  const { plan } = await computePlan(world, { ...requestOf(context), prune: input.prune });
  if (plan.changed) return undefined;
  requireApplicable(plan, input);
  return { deploy: toDeploy(record, former), release: null, plan, pruned: [], notes: context.notes };
}

function now({ clock }: Pick<DeployPorts, "clock">): string {
  return new Date(clock.now()).toISOString();
}

async function withDeploy<T>(
  ports: DeployPorts,
  request: Request,
  caller: Caller,
  action: string,
  work: (prepared: PreparedDeploy) => Promise<T>,
): Promise<T> {
  const context = await openContext(ports, request, caller);
  const { root, environment, deploys, owner: service } = context;
  const { pm2Home, root: checkout } = ports.workspace;
  const { lockTimeoutMs = DEFAULT_LOCK_TIMEOUT_MS } = request;
  const services = Object.keys((await ports.facts.project())?.services ?? {});
  return await withAudit(
    ports,
    caller,
    { action, environment },
    (attempt) =>
      root.withLock(
        lockTimeoutMs,
        async () => {
          let begun: Promise<void> | undefined;
          const begin = (): Promise<void> => (begun ??= attempt.begin());
          await ports.releases.claim();
          await root.claim({ pm2Home, environment, checkout, service, services });
          await recoverDeploys(context, begin);
          if (context.isAdopting) await noteForeignLayout(context);
          const code = await findCode(context, request);
          const { found, git } = code;
          attempt.note({ target: `commit ${found.commit.slice(0, 7)}` });
          requireNotStopped(context);
          if (request.retry === false) await requireUntried(context, found);
          const prepared = await findPrepared(context, found);
          await (prepared ? checkPrepared(context, code, prepared) : begin());
          const record = prepared ?? (await prepareRelease(context, { ...code, records: await root.records() }));
          await git.keep(commitsOf([...(await root.records()), record]));
          attempt.note({ target: `commit ${record.commit.slice(0, 7)} as ${record.id}` });
          requireNotStopped(context);
          const world = deploys.world(toPlace(root.layout, record));
          const preparedDeploy = { context, git, record, world, former: await root.current(), begin };
          return await work(preparedDeploy).catch((error: unknown) => {
            throw error instanceof SvcmError ? asDeploy(error, deployCommand(record, request.service)) : error;
          });
        },
        caller.signal,
      ),
    { isUnrecorded: (error) => error instanceof SvcmError && error.body.code === "DEPLOY_TRIED" },
  );
}

/** Fetches and names the commit. Prepares nothing, so none of its code runs. @throws {SvcmError} DEPLOY_FAILED, NOT_FOUND */
export async function findDeploy(ports: DeployPorts, request: InputOf<"deploy.plan">, caller: Caller) {
  const context = await openContext(ports, request, caller);
  const { root, environment } = context;
  return await root.withLock(NAMING_LOCK_TIMEOUT_MS, async () => {
    const { found, git } = await findCode(context, request);
    const { subject } = await git.readCommit(found.commit);
    return { ...found, environment, subject, former: await formerCommit(context, await root.current()) };
  });
}

async function openContext(ports: DeployPorts, request: Request, caller: Caller): Promise<DeployContext> {
  const { environment: requested } = await withMachineEnvironment(ports, request, caller);
  const { facts, workspace } = ports;
  requireEnvironment(await facts.project(), requested, workspace.nodeEnv);
  const [contract, matrix] = await Promise.all([facts.runtimeContract(), facts.capabilityMatrix()]);
  const spellings = ecosystemSpellings(contract, matrix);
  const { name } = resolveEnvironment(spellings, contract, requested, workspace.nodeEnv);
  const { service } = request;
  const opened = await openDeployRoot(ports, service);
  opened.deploys.requireOwner(workspace.pm2Home);
  return {
    ports,
    caller,
    ...opened,
    environment: name,
    spellings: spellingsOf(spellings, name),
    service,
    isAdopting: request.adopt ?? false,
    notes: [],
  };
}

/** The id of the release is in the journal of the deploy before its first step. */
function recordRelease(releases: Releases, record: (release: string) => Promise<void>): Releases {
  return {
    ...releases,
    async create(id, first) {
      await record(id);
      await releases.create(id, first);
    },
  };
}

/** `current` is for all apps of the file, so it moves once the last of them runs the release. */
async function finish({ context, record, world, former }: PreparedDeploy): Promise<boolean> {
  const { root, service } = context;
  if (service !== undefined && context.owner === "" && !(await servesWhole(context, world))) {
    const commit = record.commit.slice(0, 7);
    note(
      context,
      `current stays at ${former ?? "nothing"} until all services run ${commit}. Until then, svcm plan and svcm apply compare with ${former ?? "the checkout"}, and not with ${commit}.`,
    );
    return false;
  }
  if (former === record.id) return true;
  await root.switchTo(record.id);
  await root.append(record.id, { event: "switch", at: now(context.ports) });
  return true;
}
