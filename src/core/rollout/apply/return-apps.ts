import type { ProcessAction } from "../../api/names.ts";
import { SvcmError } from "../../errors.ts";
import { actOn } from "../../pm2/control/act-on.ts";
import type { Acting } from "../../pm2/control/acting.ts";
import { isUp } from "../../pm2/control/verdict.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import type { Ports } from "../../ports/index.ts";
import type { FormerRun } from "../../ports/processes.ts";
import { isStopped } from "../compare.ts";
import { definitionOf } from "../plan.ts";
import { namesIn, type FormerProcess, type ReleaseEvent, type ReleaseHead } from "../release.ts";
import { gate, type Demand } from "./gate.ts";
import { processesOf, quiet } from "./quiet.ts";
import { pluralize } from "../../words/pluralize.ts";

export interface Returning {
  readonly head: ReleaseHead;
  readonly demandOf: (app: string) => Omit<Demand, "probe">;
  /** PM2 refuses another reload of these until the old run has ended. */
  readonly busy?: ReadonlySet<number>;
  readonly add: (event: ReleaseEvent) => Promise<void>;
}

export interface Returned {
  readonly reasons: readonly string[];
  /** Their env files have changed since, so they now read copies from before the release. */
  readonly pinned: ReadonlySet<string>;
}

/** It changes only what differs, so running it again completes an interrupted one. */
export async function returnApps(ports: Ports, returning: Returning, apps: readonly string[]): Promise<Returned> {
  const reasons: string[] = [];
  const pinned = new Set<string>();
  for (const app of apps) {
    const reason = await returnApp(ports, returning, app, () => pinned.add(app)).catch((error: unknown) => {
      if (error instanceof SvcmError) return error.message;
      throw error;
    });
    if (reason !== undefined) reasons.push(`${app}: ${reason}`);
    const at = new Date(ports.clock.now()).toISOString();
    await returning.add({ event: "return", app, at, ...(reason !== undefined && { reason }) });
  }
  return { reasons, pinned };
}

async function returnApp(
  ports: Ports,
  { head, demandOf, busy = new Set() }: Returning,
  app: string,
  notePinned: () => void,
): Promise<string | undefined> {
  const names = namesIn(head, app);
  const former = head.before.filter(({ name }) => names.includes(name));
  const pins = await ports.releases.changed(names.flatMap((name) => head.left.apps[name]?.envFiles ?? []));
  const run = { keptIn: ports.releases.keptIn(head.id), pins };
  const { deadlineMs: timeoutMs } = demandOf(app);
  const acting = { ports, begin: () => Promise.resolve(), timeoutMs, stableMs: 0 };
  const isPinned = await changedBack(acting, names, former, { ...run, busy });
  const listed = new Set((await processesOf(ports, names)).map(({ pmId }) => pmId));
  const gone = former.filter(({ pmId }) => !listed.has(pmId));
  for (const { pmId } of gone) await ports.processes.revive(run, pmId);
  if (pins.size > 0 && (isPinned || gone.length > 0)) notePinned();
  const stopped = new Set(former.filter((old) => old.isStopped).map(({ pmId }) => pmId));
  for (const record of await processesOf(ports, names))
    if (stopped.has(record.pmId) && !isStopped(record)) await actOn({ ...acting, action: "stop" }, record);
  return whyNotAsBefore(former, await judged(ports, names, former, demandOf(app)));
}

/**
 * Restores the definitions of the current processes. Returns true if one of them was started with its previous
 * definition.
 */
async function changedBack(
  acting: Omit<Acting, "action">,
  names: readonly string[],
  former: readonly FormerProcess[],
  { busy, ...run }: FormerRun & Required<Pick<Returning, "busy">>,
): Promise<boolean> {
  const { digest } = await acting.ports.processes.keyed();
  let isStarted = false;
  for (const listed of await processesOf(acting.ports, names)) {
    const record = await quiet(acting, listed);
    const old = former.find(({ pmId, uniqueId }) => pmId === record.pmId && uniqueId === record.uniqueId);
    const hasDefinition = old !== undefined && digest(definitionOf(record)) === old.definition;
    // A process that was restarted in the meantime has read the current env files.
    const isSame = hasDefinition && (run.pins?.size === 0 || record.pid === old.pid);
    const action = actionFor(record, old, { isSame, isBusy: busy.has(record.pmId) });
    if (action === undefined) continue;
    isStarted ||= old !== undefined && !isSame;
    await actOn({ ...acting, ...(!isSame && { declared: () => run }), action }, record);
  }
  return isStarted;
}

/**
 * Deletes a process that did not exist before, and restarts one whose definition differs with the previous definition.
 */
function actionFor(
  record: ProcessRecord,
  old: FormerProcess | undefined,
  { isSame, isBusy }: { readonly isSame: boolean; readonly isBusy: boolean },
): ProcessAction | undefined {
  if (old === undefined) return "delete";
  if (!isSame) return record.execMode === "cluster" && !isStopped(record) && !isBusy ? "reload" : "restart";
  return isStopped(record) && !old.isStopped ? "start" : undefined;
}

async function judged(
  ports: Ports,
  names: readonly string[],
  former: readonly FormerProcess[],
  demand: Omit<Demand, "probe">,
): Promise<readonly ProcessRecord[]> {
  const probe = former.find((old) => old.probe !== undefined)?.probe;
  const kept = new Set(former.map(({ pid }) => pid));
  const started = (await processesOf(ports, names)).filter((record) => isUp(record) && !kept.has(record.pid));
  await Promise.all(started.map((record) => gate(ports, record, { ...demand, probe })));
  return await processesOf(ports, names);
}

/** A process that was started again has a new id. */
function whyNotAsBefore(former: readonly FormerProcess[], now: readonly ProcessRecord[]): string | undefined {
  const running = former.filter((one) => !one.isStopped).length;
  const online = now.filter(isUp).length;
  if (now.length !== former.length)
    return `PM2 lists ${pluralize(now.length, "process", "processes")}, and there were ${former.length} before.`;
  return online < running
    ? `${online} of ${pluralize(running, "process", "processes")} ${online === 1 ? "is" : "are"} online.`
    : undefined;
}
