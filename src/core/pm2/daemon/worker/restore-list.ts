import { cpus } from "node:os";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Fields } from "../../normalise.ts";
import type { RestoredProcess } from "../../port-processes.ts";
import { probeSocket } from "../daemon.ts";
import { errorText, LinkFailure, maskValues } from "../failure.ts";
import { findSurvivors } from "../proc.ts";
import {
  copyPath,
  dumpPath,
  parseList,
  readCopy,
  readList,
  readListBeforeEnd,
  replaceList,
  type Copy,
  type ReadList,
  type SavedRecord,
  writeCopy,
} from "../saved-files.ts";
import { gracePeriodMs } from "./act.ts";
import { type Connection, listProcesses, withTimeout } from "./connection.ts";
import type { Pm2Process } from "./pm2-api.ts";
import { isStoppedOrFinite, savedApp } from "./saved-records.ts";
import { connectLibrary, connectOrLaunch, type StartContext } from "./start-app.ts";

/** Of all apps together. A slow app of a busy machine must not end the others. */
const RESTORE_TIMEOUT_MS = 600_000;
const START_TIMEOUT_MS = 60_000;
/** Starts need the processor, so more at the same time are not quicker. */
const STARTS_PER_CORE = 2;

export async function restoreList(context: StartContext): Promise<RestoredProcess[]> {
  const hasDaemon = (await probeSocket(context.socket)) === undefined;
  const saved = chooseList(dirname(context.socket), hasDaemon).map((record, index) => ({
    pm_id: index,
    name: record["name"],
    pm2_env: record,
  }));
  context.handOver(RESTORE_TIMEOUT_MS);
  const connection = await connectOrLaunch(context);
  try {
    const listed = new Set((await listProcesses(connection, START_TIMEOUT_MS)).map(({ name }) => String(name)));
    const restore = async (one: Pm2Process): Promise<RestoredProcess> =>
      (listed.has(String(one.name)) ? undefined : await refuseBeside(dirname(context.socket), one)) ??
      (await restoreOne(connection, one, listed));
    const apps = await mapLimited(saved, cpus().length * STARTS_PER_CORE, restore);
    return hasDaemon ? apps : [...apps, ...(await startModules(context))];
  } finally {
    connection.close();
  }
}

/** The saved list does not have modules, such as pm2-logrotate: PM2's command line starts them with each new daemon. */
async function startModules({ pm2 }: StartContext): Promise<RestoredProcess[]> {
  try {
    await withTimeout(connectLibrary(pm2), START_TIMEOUT_MS, "PM2 did not accept the connection");
    const launched = new Promise<void>((done, fail) => {
      pm2.launchModules((error) => (error ? fail(new Error(errorText(error))) : done()));
    });
    await withTimeout(launched, START_TIMEOUT_MS, "PM2 did not start its modules");
    return [];
  } catch (error) {
    return [{ name: "PM2's modules", pmId: null, outcome: "failed", reason: errorText(error) }];
  }
}

function chooseList(home: string, hasDaemon: boolean): readonly SavedRecord[] {
  const list = readList(home);
  const copy = readCopy(home);
  const good = goodList(list, copy, hasDaemon ? undefined : readListBeforeEnd(home));
  if (!isList(good))
    throw new LinkFailure(
      "BOOT_LIST_UNUSABLE",
      `PM2's saved list ${dumpPath(home)} is ${list.state}, and ${copyPath(home)} has no copy of it.`,
    );
  if (good.text !== list.text) replaceList(home, good.text);
  if (copy) writeCopy(home, { ...copy, draining: null });
  return good.records;
}

/** PM2's own list, unless it is broken or was written while the apps ended. */
function goodList(list: ReadList, copy: Copy | undefined, before: ReadList | undefined): ReadList {
  if (typeof copy?.draining === "string" && copy.draining !== list.text) return parseList(copy.draining);
  if (before !== undefined) return before;
  return isList(list) ? list : parseList(copy?.text ?? "");
}

function isList({ state }: ReadList): boolean {
  return state === "read" || state === "empty";
}

const LOOK_MS = 100;

/** A process that outlived its daemon may be about to end, as svcm's text about it says to do first. */
async function refuseBeside(home: string, saved: Pm2Process): Promise<RestoredProcess | undefined> {
  if (isStoppedOrFinite(saved)) return undefined;
  const app = String(saved.name);
  const deadlineMs = performance.now() + gracePeriodMs(saved);
  for (;;) {
    const pids = findSurvivors(home).flatMap(({ name, pid }) => (name === app ? [pid] : []));
    if (pids.length === 0) return undefined;
    if (performance.now() >= deadlineMs) {
      const reason = `it outlived a former daemon of PM2; end it with kill ${pids.join(" ")}, then run svcm boot restore again`;
      return { name: app, pmId: null, outcome: "failed", reason };
    }
    await setTimeout(LOOK_MS);
  }
}

export async function restoreOne(
  connection: Connection,
  saved: Pm2Process,
  listed: ReadonlySet<string>,
): Promise<RestoredProcess> {
  const name = String(saved.name);
  if (listed.has(name)) return { name, pmId: null, outcome: "already listed", reason: null };
  const isResting = isStoppedOrFinite(saved);
  try {
    const answer = await connection.call(
      "prepare",
      [savedApp(saved, isResting)],
      START_TIMEOUT_MS + gracePeriodMs(saved),
    );
    const [started] = answer as readonly { readonly pm2_env?: { readonly pm_id?: number } }[];
    return { name, pmId: started?.pm2_env?.pm_id ?? null, outcome: isResting ? "at rest" : "started", reason: null };
  } catch (error) {
    const reason = maskValues(errorText(error), [saved.pm2_env as Fields]);
    return { name, pmId: null, outcome: "failed", reason };
  }
}

/** Begins in the order of the list, so that PM2 gives the numbers in that order. */
async function mapLimited<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const runNext = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at] as Item);
  };
  await Promise.all(Array.from({ length: limit }, runNext));
  return results;
}
