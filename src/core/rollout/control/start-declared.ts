import { toSkipped } from "../../pm2/skipped-process.ts";
import { SvcmError } from "../../api/errors.ts";
import type { Declaration } from "../../pm2/declared.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import { NO_PREVIOUS_RUN, judge, type Verdict } from "./verdict.ts";
import { actOn } from "./act-on.ts";
import { toAffected, mergeOutcomes, type ActionContext, type Outcome } from "./action.ts";
import { listOrEmpty } from "../../pm2/list-or-empty.ts";
import { isInPlaceAtRest, isJob } from "./jobs.ts";
import { registerDeclared } from "./register.ts";
import { verify, type OnlineMs } from "./verify.ts";

/**
 * Existing processes of the app are started as they are. Concurrent svcm processes take turns, so they start only one
 * daemon and one app.
 * @throws {SvcmError} PM2_FAILED, PROCESS_ACTION_FAILED, PROCESS_ACTION_REFUSED, AUDIT_FAILED
 */
export async function startDeclared(context: ActionContext, declared: Declaration): Promise<Outcome> {
  const { processes } = context.ports;
  const { name } = declared;
  const existing = await processes.withLock("start", async () => {
    const found = withName(await listOrEmpty(processes), name);
    if (found.length > 0) return found;
    await context.begin();
    if (isJob(declared)) return undefined;
    return (await startUnlessListed(context, declared)) ? undefined : withName(await processes.list(), name);
  });
  if (existing !== undefined) return startExisting(context, existing);
  if (isJob(declared)) {
    const registered = await registerDeclared(context.ports, declared);
    return { affected: [], skipped: registered.map((record) => toSkipped(record, "JOB_WAITS")) };
  }
  const started = await verify(
    context.ports,
    { action: "start", name, timeoutMs: context.timeoutMs },
    (list, onlineMs) => {
      const found = withName(list, name);
      return { processes: found, verdict: combineVerdicts(found, onlineMs, context.stableMs) };
    },
  );
  return { affected: started.map(toAffected), skipped: [] };
}

async function startUnlessListed({ ports }: ActionContext, { name, apps, folder }: Declaration): Promise<boolean> {
  try {
    await ports.processes.startApp(name, apps, folder);
    return true;
  } catch (error) {
    if (error instanceof SvcmError && error.body.code === "APP_ALREADY_KNOWN") return false;
    throw error;
  }
}

async function startExisting(context: ActionContext, existing: readonly ProcessRecord[]): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  for (const record of existing) {
    const skipped = { affected: [], skipped: [toSkipped(record, "JOB_WAITS")] };
    outcomes.push(isInPlaceAtRest(record) ? skipped : await actOn(context, record));
  }
  return mergeOutcomes(outcomes);
}

function combineVerdicts(instances: readonly ProcessRecord[], onlineMs: OnlineMs, stableMs?: number): Verdict {
  if (instances.length === 0) return { failed: "it registered no process" };
  const verdicts = instances.map((instance) => judge("start", NO_PREVIOUS_RUN, instance, onlineMs(instance), stableMs));
  return verdicts.find((verdict) => typeof verdict === "object") ?? (verdicts.includes("pending") ? "pending" : "done");
}

function withName(list: readonly ProcessRecord[], name: string): ProcessRecord[] {
  return list.filter((record) => record.name === name);
}
