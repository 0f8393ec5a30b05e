import { SvcmError } from "../api/errors.ts";
import { nameList } from "../words/text.ts";
import { beginningOf, findRelease } from "../rollout/apply/rollback-plan.ts";
import { toJournals } from "../rollout/release.ts";
import { note, type DeployContext } from "./deploy-context.ts";
import { deployOfPath } from "./layout.ts";
import type { DeployGit } from "./port-deploy-git.ts";
import { commitsOf, type DeployRecord, isPrepared } from "./record.ts";

const MAX_NAMED = 3;

/** Removes what nothing needs any more. A failure to remove does not make the deploy a bad one. */
export async function pruneReleases(context: DeployContext, git: DeployGit): Promise<{ readonly pruned: string[] }> {
  const { root, ports, settings } = context;
  const records = await root.records();
  const removable = decidePrune({
    records,
    keep: settings.keep,
    current: await root.current(),
    inUse: await listInUse(
      context,
      records.map(({ id }) => id),
    ),
  });
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

/** By processes, by PM2's lists, and by what the next rollback would start. */
async function listInUse({ root, ports }: DeployContext, ids: readonly string[]): Promise<Set<string>> {
  const inUse = await root.inUse(ids, `${ports.workspace.pm2Home}/dump.pm2`);
  const running = await ports.processes.list();
  const paths = running.flatMap(({ script, cwd }) => [script, cwd]).filter((path) => path !== null);
  const lists = await ports.releases.list();
  const undone = lists.length === 0 ? undefined : beginningOf(toJournals(lists), findRelease(lists, undefined).head);
  const former = (undone?.before ?? []).flatMap(({ paths: needed = [] }) => needed);
  for (const path of [...paths, ...former]) {
    const id = deployOfPath(root.layout, `${path}/`);
    if (id !== undefined) inUse.add(id);
  }
  return inUse;
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
