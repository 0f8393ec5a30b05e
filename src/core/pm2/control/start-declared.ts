import { SvcmError } from "../../errors.ts";
import type { Declaration } from "../declaration.ts";
import type { ProcessRecord } from "../process-record.ts";
import { UNKNOWN_BEFORE, verdictOn, type Verdict } from "./verdict.ts";
import { actOn } from "./act-on.ts";
import { affected, merged, type Acting, type Outcome } from "./acting.ts";
import { listOrNone } from "./known.ts";
import { verify, type OnlineMs } from "./verify.ts";

/**
 * Existing processes of the app are started as they are. Concurrent svcm processes take turns, so they start only one
 * daemon and one app.
 * @throws {SvcmError} PM2_FAILED, PROCESS_ACTION_FAILED, PROCESS_ACTION_REFUSED, AUDIT_FAILED
 */
export async function startDeclared(acting: Acting, declared: Declaration): Promise<Outcome> {
  const { processes } = acting.ports;
  const { name } = declared;
  const known = await processes.withLock("start", async () => {
    const found = named(await listOrNone(processes), name);
    if (found.length > 0) return found;
    await acting.begin();
    return (await startUnlessKnown(acting, declared)) ? undefined : named(await processes.list(), name);
  });
  if (known !== undefined) return startKnown(acting, known);
  const started = await verify(
    acting.ports,
    { action: "start", name, timeoutMs: acting.timeoutMs },
    (list, onlineMs) => {
      const seen = named(list, name);
      return { processes: seen, verdict: together(seen, onlineMs, acting.stableMs) };
    },
  );
  return { affected: started.map(affected), skipped: [] };
}

async function startUnlessKnown({ ports }: Acting, { name, apps, folder }: Declaration): Promise<boolean> {
  try {
    await ports.processes.startApp(name, apps, folder);
    return true;
  } catch (error) {
    if (error instanceof SvcmError && error.body.code === "APP_ALREADY_KNOWN") return false;
    throw error;
  }
}

async function startKnown(acting: Acting, known: readonly ProcessRecord[]): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  for (const record of known) outcomes.push(await actOn(acting, record));
  return merged(outcomes);
}

function together(instances: readonly ProcessRecord[], onlineMs: OnlineMs, stableMs?: number): Verdict {
  if (instances.length === 0) return { failed: "it registered no process" };
  const verdicts = instances.map((instance) =>
    verdictOn("start", UNKNOWN_BEFORE, instance, onlineMs(instance), stableMs),
  );
  return verdicts.find((verdict) => typeof verdict === "object") ?? (verdicts.includes("pending") ? "pending" : "done");
}

function named(list: readonly ProcessRecord[], name: string): ProcessRecord[] {
  return list.filter((record) => record.name === name);
}
