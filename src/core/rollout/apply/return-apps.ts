import type { ProcessAction } from "../../api/names.ts";
import { SvcmError } from "../../errors.ts";
import { actOn } from "../../pm2/control/act-on.ts";
import type { Acting } from "../../pm2/control/acting.ts";
import { isUp } from "../../pm2/control/verdict.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import type { Ports } from "../../ports/index.ts";
import { isStopped } from "../compare.ts";
import { definitionOf } from "../plan.ts";
import type { FormerProcess, ReleaseEvent, ReleaseHead } from "../release.ts";

export interface Returning {
  /** The release that is undone. */
  readonly head: ReleaseHead;
  readonly timeoutMs: number | undefined;
  /** Adds a line to the journal of what is done now. */
  readonly add: (event: ReleaseEvent) => Promise<void>;
}

/**
 * Gives each app the processes and definitions back that it had before a release, and looks at PM2's list again. It changes
 * only what differs, so a repetition finishes what was cut off.
 *
 * @returns the reasons why apps do not run as before
 */
export async function returnApps(ports: Ports, returning: Returning, apps: readonly string[]): Promise<string[]> {
  const reasons: string[] = [];
  for (const app of apps) {
    const reason = await returnApp(ports, returning, app).catch((error: unknown) => {
      if (error instanceof SvcmError) return error.message;
      throw error;
    });
    if (reason !== undefined) reasons.push(`${app}: ${reason}`);
    const at = new Date(ports.clock.now()).toISOString();
    await returning.add({ event: "return", app, at, ...(reason !== undefined && { reason }) });
  }
  return reasons;
}

async function returnApp(ports: Ports, { head, timeoutMs }: Returning, app: string): Promise<string | undefined> {
  const { list, digest } = await ports.processes.keyed();
  const ofApp = async (): Promise<ProcessRecord[]> => (await list()).filter(({ name }) => name === app);
  const former = head.before.filter(({ name }) => name === app);
  const keptIn = ports.releases.keptIn(head.id);
  const acting: Omit<Acting, "action"> = { ports, begin: () => Promise.resolve(), timeoutMs };
  for (const record of await ofApp()) {
    const old = former.find(({ pmId, uniqueId }) => pmId === record.pmId && uniqueId === record.uniqueId);
    const isSame = old !== undefined && digest(definitionOf(record)) === old.definition;
    const action = actionFor(record, old, isSame);
    const run = isSame ? {} : { declared: () => ({ keptIn }) };
    if (action !== undefined) await actOn({ ...acting, ...run, action }, record);
  }
  const listed = new Set((await ofApp()).map(({ pmId }) => pmId));
  for (const { pmId } of former) if (!listed.has(pmId)) await ports.processes.revive(keptIn, pmId);
  const stopped = new Set(former.filter((old) => old.isStopped).map(({ pmId }) => pmId));
  for (const record of await ofApp())
    if (stopped.has(record.pmId) && !isStopped(record)) await actOn({ ...acting, action: "stop" }, record);
  return whyNotAsBefore(former, await ofApp());
}

/** A process that was not there before is deleted, and one whose definition differs is restarted with the former one. */
function actionFor(record: ProcessRecord, old: FormerProcess | undefined, isSame: boolean): ProcessAction | undefined {
  if (old === undefined) return "delete";
  if (!isSame) return record.execMode === "cluster" && !isStopped(record) ? "reload" : "restart";
  return isStopped(record) && !old.isStopped ? "start" : undefined;
}

/** A process that was started again has another number, so processes are counted. */
function whyNotAsBefore(former: readonly FormerProcess[], now: readonly ProcessRecord[]): string | undefined {
  const running = former.filter((one) => !one.isStopped).length;
  const online = now.filter(isUp).length;
  if (now.length !== former.length) return `PM2 lists ${now.length} processes, and there were ${former.length}.`;
  return online < running ? `${online} of ${running} processes are online.` : undefined;
}
