/** Looks after an apply for services whose ports nothing serves. */
import type { HasMachine } from "../files/ports.ts";
import type { HasProcesses } from "../pm2/port-processes.ts";
import type { HasProcessLogs } from "../logs/port-logs.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { isOnlineService, LOOK_MS, readTrees, type ServingPorts } from "./read-serving.ts";
import { listensOnPort, loadErrorOf, mayNotBeLoaded, MIN_LOADING_MS, noLongerServed, unseenErrors } from "./serving.ts";

/** Names of services of which a process, or PM2's daemon for it, listens on a port of its variables. */
export async function readServedApps(
  ports: HasMachine,
  records: readonly ProcessRecord[],
): Promise<ReadonlySet<string>> {
  const kernel = await ports.machine.openTrees();
  const trees = kernel === undefined ? [] : readTrees(kernel, records.filter(isOnlineService));
  const sockets = kernel?.tcpSockets() ?? [];
  return new Set(trees.filter((tree) => listensOnPort(tree, sockets)).map(({ record }) => record.name));
}

/**
 * By PM2 id, doubts about new processes of services whose ports nothing serves: something did before, or no log says
 * anything. Waits while they may still be loading. A worker whose port others serve is in doubt if nothing could show it.
 */
export async function readUnserved(
  ports: ServingPorts,
  records: readonly ProcessRecord[],
  { servedBefore, hasFailed }: { readonly servedBefore: ReadonlySet<string>; readonly hasFailed: HasFailed },
): Promise<ReadonlyMap<number, string>> {
  const services = records.filter((record) => isOnlineService(record) && (record.listenPorts ?? []).length > 0);
  const waitEndMs = ports.clock.elapsed() + MIN_LOADING_MS;
  for (;;) {
    const served = await readServedApps(ports, services);
    const unserved = services.filter(({ name }) => !served.has(name));
    const epochMs = ports.clock.now();
    const doubts = new Map(await findUnheard(ports, services, { served, hasFailed }));
    for (const record of unserved) {
      const doubt = await findDoubt(ports, record, { epochMs, wasServed: servedBefore.has(record.name) });
      if (doubt !== undefined) doubts.set(record.pmId, doubt);
    }
    const isLoading = ({ pmId, lastStartAt }: ProcessRecord): boolean =>
      doubts.has(pmId) && lastStartAt !== null && epochMs - lastStartAt < MIN_LOADING_MS;
    if (!unserved.some(isLoading) || ports.clock.elapsed() >= waitEndMs) return doubts;
    await ports.clock.sleep(LOOK_MS);
  }
}

/** By PM2 id, whether the lines that svcm received from a process say that it has not loaded; undefined if svcm has not listened. */
type HasFailed = (pmId: number) => boolean | undefined;

/** Only while svcm listens to PM2's bus. */
export async function readUnloaded({ processes }: HasProcesses): Promise<HasFailed> {
  const records = await processes.list().catch(() => []);
  const unloaded = new Map<number, boolean>();
  for (const record of records) {
    const written = await processes.writtenErrors(record).catch(() => undefined);
    if (written !== undefined) unloaded.set(record.pmId, loadErrorOf(written.lines) === "module");
  }
  return (pmId) => unloaded.get(pmId);
}

/** PM2's bus has what a worker writes only for those who listened, and there is no log. */
async function findUnheard(
  { processLogs }: HasProcessLogs,
  services: readonly ProcessRecord[],
  { served, hasFailed }: { readonly served: ReadonlySet<string>; readonly hasFailed: HasFailed },
): Promise<[number, string][]> {
  const workers = services.filter(({ execMode, name }) => execMode === "cluster" && served.has(name));
  const shared = workers.filter(({ name, pmId }) => workers.some((one) => one.name === name && one.pmId !== pmId));
  const found = await Promise.all(
    shared.map(async (record): Promise<[number, string][]> => {
      const tail = await processLogs.readErrorTail(record).catch(() => undefined);
      const hasFailedToLoad = hasFailed(record.pmId);
      if (tail !== undefined || hasFailedToLoad === false) return [];
      return [[record.pmId, hasFailedToLoad === undefined ? UNHEARD : UNLOADED]];
    }),
  );
  return found.flat();
}

const UNLOADED = "it wrote an error of its start, and only others of its cluster may serve its port";
const UNHEARD = "others of its cluster may serve its port, and it has no error log to read";

async function findDoubt(
  { machine, processLogs }: HasMachine & HasProcessLogs,
  record: ProcessRecord,
  { epochMs, wasServed }: { readonly epochMs: number; readonly wasServed: boolean },
): Promise<string | undefined> {
  const kernel = await machine.openTrees();
  const [tree] = kernel === undefined ? [] : readTrees(kernel, [record]);
  if (kernel === undefined || tree === undefined) return undefined;
  if (!tree.held().isComplete || (record.execMode === "cluster" && !tree.heldByDaemon().isComplete)) return undefined;
  if (wasServed) return noLongerServed(record);
  const evidence = { sockets: kernel.tcpSockets(), epochMs: epochMs + MIN_LOADING_MS };
  if (!mayNotBeLoaded(tree, evidence)) return undefined;
  const tail = await processLogs.readErrorTail(record).catch(() => undefined);
  return tail === undefined ? unseenErrors(record)?.unseen : undefined;
}
