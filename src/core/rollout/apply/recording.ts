import type { Release } from "../../api/rollout.ts";
import type { Caller } from "../../caller.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import type { Ports } from "../../ports/index.ts";
import { isStopped } from "../compare.ts";
import { definitionOf } from "../plan.ts";
import { releaseOf, type ReleaseEvent, type ReleaseHead } from "../release.ts";

const KEPT_RELEASES = 10;

/** The journal of one apply. A line is on disk when its promise resolves. */
export interface Recording {
  readonly head: ReleaseHead;
  readonly add: (event: ReleaseEvent) => Promise<void>;
  readonly step: (step: number, phase: "begun" | "done" | "failed", reason?: string) => Promise<void>;
  readonly end: (outcome: Release["outcome"], code?: string) => Promise<Release>;
}

type Subject = Pick<ReleaseHead, "plan" | "environment" | "git" | "steps"> & {
  readonly message?: string | undefined;
  readonly undoes?: string;
};

/** Begins a journal, and keeps PM2's records of the touched apps, before anything is done to them. */
export async function begun(
  ports: Ports,
  { source, actor }: Caller,
  { message, ...subject }: Subject,
  running: readonly ProcessRecord[],
): Promise<Recording> {
  const { clock, host, processes, releases } = ports;
  const { digest } = await processes.keyed();
  const now = (): string => new Date(clock.now()).toISOString();
  const startedAt = now();
  const time = startedAt.slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
  const apps = new Set(subject.steps.map(({ app }) => app));
  const touched = running.filter(({ name }) => apps.has(name));
  const head: ReleaseHead = {
    event: "release",
    id: `${time}-${host.randomId().slice(0, 4)}`,
    ...subject,
    startedAt,
    source,
    ...(actor !== undefined && { actor }),
    ...(message !== undefined && { message }),
    before: touched.map((record) => {
      const { name, pmId, uniqueId } = record;
      return { name, pmId, uniqueId, isStopped: isStopped(record), definition: digest(definitionOf(record)) };
    }),
  };
  const { id } = head;
  const events: ReleaseEvent[] = [head];
  const add = async (event: ReleaseEvent): Promise<void> => {
    events.push(event);
    await releases.add(id, event);
  };
  await releases.begin(id, head);
  if (touched.length > 0)
    await processes.keep(
      releases.keptIn(id),
      touched.map(({ pmId }) => pmId),
    );
  return {
    head,
    add,
    step: (step, phase, reason) =>
      add({ event: "step", step, phase, at: now(), ...(reason !== undefined && { reason }) }),
    end: async (outcome, code) => {
      await add({ event: "end", outcome, at: now(), ...(code !== undefined && { code }) });
      await releases.prune(KEPT_RELEASES);
      return releaseOf({ head, events }, null);
    },
  };
}
