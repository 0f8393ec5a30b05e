/** Copies of env files as processes have read them: a file may have changed since, and a way back needs what ran. */
import { SvcmError } from "../api/errors.ts";
import type { HasClock, HasStamps } from "../files/ports.ts";
import type { HasProcesses } from "../pm2/port-processes.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { CLOCK_TOLERANCE_MS } from "../running/env-files.ts";
import type { HasReleases } from "./ports.ts";
import { findAppliedState, hasReadCopies, toJournals, type AppliedApp, type AppliedState } from "./release.ts";

type CopyPorts = HasClock & HasReleases & HasStamps;

/** `undefined` if the caller does not know it: a rollback made the process read copies, and it still does. */
type IsPinned = ((record: ProcessRecord) => boolean) | undefined;

interface CopyRequest {
  /** The release whose folder takes new copies. */
  readonly id: string;
  readonly running: readonly ProcessRecord[];
  readonly isPinned?: IsPinned;
}

/** The state with what the apps have read, as far as that is known. @throws {SvcmError} PM2_FAILED with `PM2_HOME_UNUSABLE` */
export async function withReadCopies(
  ports: CopyPorts,
  state: AppliedState,
  { id, running, isPinned }: CopyRequest,
): Promise<AppliedState> {
  const apps: [string, AppliedApp][] = [];
  for (const [name, app] of Object.entries(state.apps))
    apps.push([
      name,
      await withReadCopy(ports, app, { id, own: running.filter((one) => one.name === name), isPinned }),
    ]);
  return { ...state, apps: Object.fromEntries(apps) };
}

/** Copies the files while they are as they were at the start of the processes. */
export async function withReadCopy(
  ports: CopyPorts,
  app: AppliedApp,
  { id, own: processes, isPinned }: Omit<CopyRequest, "running"> & { readonly own: readonly ProcessRecord[] },
): Promise<AppliedApp> {
  const { mayDiffer: _doubt, ...known } = app;
  const { envFiles, pinnedBy } = known;
  const own = processes.filter(({ pid }) => pid !== null);
  if (envFiles.length === 0 || own.length === 0) return app;
  if (hasReadCopies(known, own)) return known;
  const readBy = own.flatMap(({ pid }) => pid ?? []);
  const isOfFiles = pinnedBy === undefined || (isPinned !== undefined && !own.some(isPinned));
  if (!isOfFiles && isPinned !== undefined && own.every(isPinned)) return { ...known, readBy };
  const paths = envFiles.map(({ path }) => path);
  if (!isOfFiles || !isUnchanged(ports, paths, own)) return { ...known, mayDiffer: true };
  const isCopied = (await ports.releases.changedEnvFiles(envFiles)).size === 0;
  return { ...known, envFiles: isCopied ? envFiles : await ports.releases.copyEnvFiles(id, paths), readBy };
}

/** After a clock was set back, times say nothing. */
function isUnchanged({ clock, stamps }: HasClock & HasStamps, paths: readonly string[], own: readonly ProcessRecord[]) {
  const changedMs = stamps.read(paths).map((stamp) => stamp?.changedMs ?? Infinity);
  const nowMs = clock.now();
  return own.every(
    ({ lastStartAt }) =>
      lastStartAt !== null && lastStartAt <= nowMs && changedMs.every((ms) => ms <= lastStartAt - CLOCK_TOLERANCE_MS),
  );
}

/** Processes that a command has just started may have read other content than at the last apply. It never fails. */
export async function recordReadCopies(ports: CopyPorts & HasProcesses): Promise<void> {
  try {
    const journals = toJournals(await ports.releases.list());
    const [newest] = journals;
    if (newest === undefined) return;
    const { apps } = findAppliedState(journals);
    const unpinned = Object.fromEntries(Object.entries(apps).filter(([, { pinnedBy }]) => pinnedBy === undefined));
    const { id } = newest.head;
    const state = await withReadCopies(ports, { apps: unpinned }, { id, running: await ports.processes.list() });
    const read = Object.entries(state.apps).filter(([name, app]) => app !== apps[name] && app.mayDiffer !== true);
    const copies = read.map(([name, { envFiles, readBy = [] }]) => [name, { envFiles, readBy }] as const);
    if (copies.length === 0) return;
    const at = new Date(ports.clock.now()).toISOString();
    await ports.releases.recordRead(id, { event: "read", at, apps: Object.fromEntries(copies) });
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
  }
}
