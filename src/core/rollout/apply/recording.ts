import type { Release } from "../../api/rollout.ts";
import type { Caller } from "../../caller.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import type { Ports } from "../../ports/index.ts";
import { isStopped } from "../compare.ts";
import { definitionOf } from "../plan.ts";
import {
  journalsOf,
  namesIn,
  releaseOf,
  releasesInUse,
  type FormerProcess,
  type Left,
  type ReleaseEvent,
  type ReleaseHead,
} from "../release.ts";
import { probeOf, type AppProbe } from "../settings/probe.ts";
import type { RolloutSettings } from "../settings/settings.ts";

export interface Recording {
  readonly head: ReleaseHead;
  readonly add: (event: ReleaseEvent) => Promise<void>;
  readonly step: (step: number, phase: "begun" | "done" | "failed", reason?: string) => Promise<void>;
  /** Without `left`, the apps are as the previous release left them. */
  readonly end: (
    outcome: Release["outcome"],
    more?: { readonly code?: string; readonly left?: Left },
  ) => Promise<Release>;
}

interface Subject extends Pick<ReleaseHead, "plan" | "environment" | "git" | "steps" | "renamed" | "left"> {
  readonly message?: string | undefined;
  readonly undoes?: string;
  readonly running: readonly ProcessRecord[];
  readonly probeOf: (record: ProcessRecord) => AppProbe | undefined;
  readonly keepReleases: number;
}

export async function begun(ports: Ports, caller: Caller, { keepReleases, ...subject }: Subject): Promise<Recording> {
  const { processes, releases } = ports;
  const now = (): string => new Date(ports.clock.now()).toISOString();
  const head = await headOf(ports, caller, { ...subject, startedAt: now() });
  const { id } = head;
  const events: ReleaseEvent[] = [head];
  const add = async (event: ReleaseEvent): Promise<void> => {
    events.push(event);
    await releases.append(id, event);
  };
  await releases.create(id, head);
  const pmIds = head.before.map(({ pmId }) => pmId);
  if (pmIds.length > 0) await processes.saveRecords(releases.recordsFile(id), pmIds);
  return {
    head,
    add,
    step: (step, phase, reason) =>
      add({ event: "step", step, phase, at: now(), ...(reason !== undefined && { reason }) }),
    end: async (outcome, more = {}) => {
      await add({ event: "end", outcome, at: now(), ...more });
      await releases.prune(keepReleases, releasesInUse(journalsOf(await releases.list()), more.left ?? head.left));
      return releaseOf({ head, events }, null);
    },
  };
}

async function headOf(
  ports: Ports,
  { source, actor, step: ofRollout }: Caller,
  { message, running, probeOf: probeNow, ...subject }: Omit<Subject, "keepReleases"> & Pick<ReleaseHead, "startedAt">,
): Promise<ReleaseHead> {
  const apps = new Set(subject.steps.flatMap(({ app }) => namesIn(subject, app)));
  const touched = running.filter(({ name }) => apps.has(name));
  return {
    event: "release",
    id: idOf(subject.startedAt, ports.host.randomId()),
    ...subject,
    source,
    ...(actor !== undefined && { actor }),
    ...(message !== undefined && { message }),
    ...(ofRollout !== undefined && { rollout: { id: ofRollout.rollout, step: ofRollout.step } }),
    before: await former(ports, touched, probeNow),
  };
}

/** `20261122-044103-b8f9` sorts by time: the suffix has three digits for the milliseconds and a random one. */
function idOf(startedAt: string, random: string): string {
  const time = startedAt.slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
  return `${time}-${Number(startedAt.slice(20, 23)).toString(16).padStart(3, "0")}${random.slice(0, 1)}`;
}

export function formerProbe(
  { apps }: Left,
  healthOf: (app: string) => RolloutSettings["health"],
): (record: ProcessRecord) => AppProbe | undefined {
  return ({ name, httpPort }) =>
    apps[name]?.probe ?? (httpPort === null ? undefined : probeOf(name, { SVC_HTTP_PORT: httpPort }, healthOf(name)));
}

/** Only healthy apps must be healthy again after a revert. */
async function former(
  { health, processes }: Ports,
  touched: readonly ProcessRecord[],
  probeNow: Subject["probeOf"],
): Promise<FormerProcess[]> {
  const { digest } = await processes.withHomeKey();
  const answered = new Map<string, AppProbe | undefined>();
  for (const record of touched) {
    if (answered.has(record.name) || isStopped(record)) continue;
    const probe = probeNow(record);
    const answer = probe && (await health.check(probe));
    answered.set(record.name, answer?.state === "healthy" ? probe : undefined);
  }
  return touched.map((record) => {
    const { name, pmId, uniqueId, pid } = record;
    const probe = isStopped(record) ? undefined : answered.get(name);
    const common = { name, pmId, uniqueId, pid, isStopped: isStopped(record) };
    return { ...common, definition: digest(definitionOf(record)), ...(probe !== undefined && { probe }) };
  });
}
