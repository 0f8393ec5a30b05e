import { SvcmError } from "../api/errors.ts";
import { nameList } from "../words/text.ts";
import { beginningOf, findRelease } from "../rollout/apply/rollback-plan.ts";
import { toJournals } from "../rollout/release.ts";
import { note, type DeployContext } from "./deploy-context.ts";
import { deployOfPath } from "./layout.ts";
import type { DeployGit } from "./port-deploy-git.ts";
import { commitsOf, type DeployRecord, isPrepared, toPlace, type DeployOutcome } from "./record.ts";
import { servesWhole } from "./serves-whole.ts";
import { listOrEmpty } from "../pm2/list.ts";
import type { Release } from "../api/rollout.ts";
import { listReleases } from "../rollout/ports.ts";

const MAX_NAMED = 3;

/** Removes what nothing needs any more. A failure to remove does not make the deploy a bad one. */
export async function pruneReleases(context: DeployContext, git: DeployGit): Promise<{ readonly pruned: string[] }> {
  const { root, ports, settings } = context;
  const records = await root.records();
  const ids = records.map(({ id }) => id);
  const worked = await root.inUse(ids, `${ports.workspace.pm2Home}/dump.pm2`);
  const needed = await listNeeded(context);
  const facts = { records, keep: settings.keep, current: await root.current() };
  const removable = decidePrune({ ...facts, inUse: new Set([...worked.keys(), ...needed]) });
  for (const id of decidePrune({ ...facts, inUse: needed }))
    noteWorkers(context, `${root.layout.releases}/${id}`, worked.get(id) ?? []);
  const pruned: string[] = [];
  for (const id of removable) {
    const record = records.find((one) => one.id === id);
    if (record === undefined || record.preparedAtMs === null) continue;
    const written = await root.writtenSince(id, record.preparedAtMs).catch(() => ["files that cannot be read"]);
    if (written.length > 0) {
      const names = nameList(written, MAX_NAMED);
      note(
        context,
        `RELEASE_HAS_DATA: ${root.layout.releases}/${id} is kept, because files were written there after the deploy: ${names}. Name them as deploy.shared, and remove the folder by hand.`,
      );
      continue;
    }
    try {
      await root.remove(id);
      await root.append(id, { event: "pruned", at: new Date(ports.clock.now()).toISOString() });
      pruned.push(id);
    } catch (error) {
      if (!(error instanceof SvcmError)) throw error;
      note(context, `The release ${id} could not be removed: ${error.message}`);
    }
  }
  await git.keep(commitsOf(await root.records()));
  return { pruned };
}

/** Of PM2, for example, which stays in the folder in which it was started. It may stay for months. */
function noteWorkers(context: DeployContext, release: string, pids: readonly number[]): void {
  if (pids.length === 0) return;
  const named = nameList(pids.map(String), MAX_NAMED);
  note(context, `${release} is kept, because a process other than its apps works in it (pid ${named}).`);
}

/** By PM2's apps, and by what the next rollback would start. */
async function listNeeded({ root, ports }: DeployContext): Promise<Set<string>> {
  const needed = new Set<string>();
  const running = await ports.processes.list();
  const paths = running.flatMap(({ script, cwd }) => [script, cwd]).filter((path) => path !== null);
  const lists = await ports.releases.list();
  const undone = lists.length === 0 ? undefined : beginningOf(toJournals(lists), findRelease(lists, undefined).head);
  const former = (undone?.before ?? []).flatMap(({ paths: own = [] }) => own);
  for (const path of [...paths, ...former]) {
    const id = deployOfPath(root.layout, `${path}/`);
    if (id !== undefined) needed.add(id);
  }
  return needed;
}

interface PruneInput {
  /** Newest first. */
  readonly records: readonly DeployRecord[];
  readonly keep: number;
  readonly current: string | null;
  /** Folders of processes, of PM2's saved list, and of the next rollback. */
  readonly inUse: ReadonlySet<string>;
}

/** Only what records name is ever removed. `keep` counts releases that served; others go once nothing uses them. */
export function decidePrune({ records, keep, current, inUse }: PruneInput): string[] {
  const present = records.filter((record) => isPrepared(record) || record.state === "failed");
  const served = present.filter(({ state }) => state === "done");
  const kept = new Set(served.slice(0, keep).map(({ id }) => id));
  return present.map(({ id }) => id).filter((id) => !kept.has(id) && id !== current && !inUse.has(id));
}

/**
 * Ends what a killed deploy left, under the lock of the root. The plan of the next deploy decides about processes.
 * @param begin called before the first effect
 */
export async function recoverDeploys(context: DeployContext, begin: () => Promise<void>): Promise<void> {
  const { root, deploys } = context;
  await root.removeLeftovers();
  for (const record of await root.records()) {
    if (record.state === "preparing" || record.state === "applying") await begin();
    if (record.state === "preparing") await removeUnprepared(context, record);
    if (record.state !== "applying") continue;
    const outcome = await findOutcome(context, record);
    if (outcome === "done" && (await root.current()) !== record.id && !record.hasSwitched)
      if (await servesWhole(context, deploys.world(toPlace(root.layout, record)), true)) await root.switchTo(record.id);
    await end(context, record, outcome);
    note(context, interruptedText(record, outcome));
  }
  const gone = (await root.records()).filter(hasNoFolder);
  for (const { id } of gone.slice(MAX_GONE)) await root.forget(id);
}

/** A timer may try a commit each minute that cannot be prepared, and each attempt has a record with its output. */
const MAX_GONE = 100;

function hasNoFolder({ state, preparedAtMs }: DeployRecord): boolean {
  return state === "pruned" || (preparedAtMs === null && state !== "preparing");
}

async function removeUnprepared(context: DeployContext, record: DeployRecord): Promise<void> {
  const { root, deploys } = context;
  await deploys.endCommands(record.commands, `${root.layout.releases}/${record.id}`);
  await root.remove(record.id);
  await end(context, record, "failed");
  note(
    context,
    `The deploy of ${record.commit.slice(0, 7)} was interrupted before its release was prepared; its folder is removed, and nothing that runs was touched.`,
  );
}

async function end({ root, ports }: DeployContext, { id }: DeployRecord, outcome: DeployOutcome): Promise<void> {
  const at = new Date(ports.clock.now()).toISOString();
  await root.append(id, { event: "end", outcome, at, reason: "it was interrupted" });
}

/** Without a release, no process was touched. */
export function outcomeAfterKill(outcome: Release["outcome"] | undefined): DeployOutcome {
  if (outcome === "applied" || outcome === "unchanged") return "done";
  return outcome === undefined || outcome === "refused" || outcome === "reverted" ? "reverted" : "half";
}

async function findOutcome(context: DeployContext, record: DeployRecord): Promise<DeployOutcome> {
  const { root, ports } = context;
  // The current release served before, too.
  if (!record.hasBegun) return (await root.current()) === record.id ? "done" : "reverted";
  if (await isLeft(context, record.id)) return "reverted";
  return outcomeAfterKill((await listReleases(ports.releases)).find(({ id }) => id === record.release)?.outcome);
}

/** An apply may have taken its apps back since. */
async function isLeft({ root, ports }: DeployContext, id: string): Promise<boolean> {
  const running = await listOrEmpty(ports.processes);
  const paths = running.flatMap(({ cwd, script }) => [cwd, script]);
  return running.length > 0 && !paths.some((path) => deployOfPath(root.layout, `${path}/`) === id);
}

export function interruptedText(
  { commit, release, hasBegun }: Pick<DeployRecord, "commit" | "hasBegun" | "release">,
  outcome: DeployOutcome,
): string {
  const what = `The deploy of ${commit.slice(0, 7)} was interrupted`;
  if (!hasBegun) return `${what} before its first step; nothing that runs was touched.`;
  if (outcome === "done") return `${what} after its release served; it is finished now.`;
  if (outcome === "reverted") return `${what}, and no process runs its release.`;
  return `${what} while it changed processes: some may run it, others the former release. To go back instead: svcm rollback ${release ?? ""}`.trimEnd();
}
