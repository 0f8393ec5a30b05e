import type { HasClock, HasMachine } from "../../files/ports.ts";
import type { HasProcesses } from "../../pm2/port-processes.ts";
import type { HasWorkspace } from "../../project/port-repository.ts";
import type { Issue } from "../../api/issue.ts";
import { listOrEmpty } from "../../pm2/list.ts";
import { findLeftOvers, takenText } from "../../running/port-holders.ts";
import { POLL_INTERVAL_MS } from "./verify.ts";

/** A child may finish its requests after its parent has ended. */
const MAX_CHILD_END_MS = 3000;

/** Processes that apps left behind when they were stopped or deleted: the next start finds its port taken. */
export async function leftOverWarnings(
  ports: HasClock & HasMachine & HasProcesses & HasWorkspace,
  names: ReadonlySet<string>,
): Promise<Issue[]> {
  const deadline = ports.clock.elapsed() + MAX_CHILD_END_MS;
  for (;;) {
    const found = await findWarnings(ports, names);
    if (found.length === 0 || ports.clock.elapsed() >= deadline) return found;
    await ports.clock.sleep(POLL_INTERVAL_MS);
  }
}

async function findWarnings(
  { machine, processes, workspace: { pm2Home } }: HasMachine & HasProcesses & HasWorkspace,
  names: ReadonlySet<string>,
): Promise<Issue[]> {
  // The act is done: without this knowledge, it is done all the same.
  const listeners = (await machine.listeners().catch(() => undefined)) ?? [];
  const all = await listOrEmpty(processes).catch(() => undefined);
  if (all === undefined) return [];
  const holders = findLeftOvers({ all, listeners, pm2Home });
  const messages = new Map(
    holders.flatMap((holder) => {
      const { formerApp, pid } = holder;
      if (formerApp === null || !names.has(formerApp)) return [];
      return [[`${takenText(holder)} To end it: kill ${pid}`, formerApp] as const];
    }),
  );
  return [...messages].map(([message, app]) => ({
    code: "PROCESS_LEFT_OVER",
    severity: "warning",
    path: ["apps", app],
    message,
  }));
}
