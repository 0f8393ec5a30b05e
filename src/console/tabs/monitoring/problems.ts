import type { ProcessMetrics } from "../../../client/index.ts";
import { findMute, MISSING, troubleKind } from "../../../core/alerts/muted.ts";
import type { Mark } from "../../../core/api/alerts.ts";
import { type Metrics, type Feed, filterByService } from "./feed.ts";
import { statusOf } from "./process-status.ts";
import { groupByApp, type AppGroup } from "./rows.ts";
import { effect, signal, type ReadonlySignal, computed, untracked } from "@preact/signals";
import type { Api } from "../../data/api.ts";
import { toProblem } from "../../data/request-error.ts";
import type { Proposal } from "../../../core/api/proposals.ts";

type Judged = Pick<Metrics, "processes" | "ecosystem">;

/** One reason to look at the machine: an app that does not do what it should, or all apps that PM2 does not know. */
export type Trouble =
  | { readonly kind: "app"; readonly row: AppGroup; readonly count: number }
  | { readonly kind: "missing"; readonly names: readonly string[] };

/** False if processes run, and the ecosystem file declares none of them. */
export function isOfEnvironment({ processes, ecosystem }: Judged): boolean {
  const undeclared = new Set(ecosystem.unexpected);
  return processes.length === 0 || processes.some(({ name }) => !undeclared.has(name));
}

/** Declared apps without a process that no user has muted, if the machine runs the environment. */
export function missingApps(metrics: Judged, marks: readonly Mark[]): readonly string[] {
  const { processes, ecosystem } = metrics;
  if (!isOfEnvironment(metrics)) return [];
  const known = new Set(processes.map(({ name }) => name));
  const isMuted = (subject: string): boolean => findMute(marks, { subject, kind: MISSING }, Date.now()) !== undefined;
  return ecosystem.missingExpected.filter((name) => !known.has(name) && !isMuted(name));
}

/**
 * True if the process has a problem, or if its app is declared and stopped though no request is known that stopped it, for example
 * after an apply that failed.
 */
export function isTroubled(
  process: ProcessMetrics,
  { missingExpected }: Pick<Metrics["ecosystem"], "missingExpected">,
): boolean {
  const status = statusOf(process);
  if (status === "errored" || status === "troubled") return true;
  return process.state === "stopped" && process.stateReason === null && missingExpected.includes(process.name);
}

/** Judged with each sample, because a mute ends at its time. */
function isOpen(process: ProcessMetrics, { ecosystem }: Judged, marks: readonly Mark[]): boolean {
  if (!isTroubled(process, ecosystem)) return false;
  return findMute(marks, { subject: process.name, kind: troubleKind(process) }, Date.now()) === undefined;
}

/** The most urgent first, without those that a user has muted. */
export function findTroubles(metrics: Judged, marks: readonly Mark[] = []): Trouble[] {
  const apps = groupByApp(metrics.processes).flatMap((row): Trouble[] => {
    const count = row.instances.filter((one) => isOpen(one, metrics, marks)).length;
    return count === 0 ? [] : [{ kind: "app", row, count }];
  });
  const names = missingApps(metrics, marks);
  const isErrored = (one: Trouble): boolean => one.kind === "app" && statusOf(one.row.process) === "errored";
  const sorted = [...apps.filter(isErrored), ...apps.filter((one) => !isErrored(one))];
  return names.length === 0 ? sorted : [{ kind: "missing", names }, ...sorted];
}

/** The number that the attention names: apps in trouble, and declared apps that PM2 does not know. */
export function countApps(troubles: readonly Trouble[]): number {
  return troubles.reduce((sum, one) => sum + (one.kind === "app" ? 1 : one.names.length), 0);
}

export interface ProblemCount {
  /** The last known one. */
  readonly errors?: number;
  /** When that was. */
  readonly at?: string;
  /** Why it cannot be known now. */
  readonly unknown?: string;
}

const EVERY_MS = 15_000;
/** By then, a tab that opens has its own samples. */
const FIRST_MS = 1000;

interface Counted {
  readonly api: Pick<Api, "metrics">;
  readonly service: ReadonlySignal<string>;
  readonly marks: Pick<Marks, "list" | "load">;
}

/** While the tab is closed, an occasional request replaces the samples. */
export function watchProblemCount(feed: Feed, { api, service, marks }: Counted): ReadonlySignal<ProblemCount> {
  const count = signal<ProblemCount>({});
  const know = (metrics: Metrics): void => {
    const { collectedAt: at, ecosystem } = metrics;
    const errors = countApps(findTroubles(metrics, marks.list.value));
    count.value = { errors, at, ...(ecosystem.error !== undefined && { unknown: "the declared apps are unknown" }) };
  };
  const lose = (unknown: string): void => void (count.value = { ...count.peek(), unknown });
  effect(() => {
    const newest = feed.newest.value;
    if (newest?.metrics) know(newest.metrics);
    else if (newest?.refusal) lose(silenceOf(newest.refusal.code));
  });
  const look = async (): Promise<void> => {
    try {
      const metrics = await api.metrics(feed.environment.peek());
      await marks.load();
      if (feed.state.peek() === "closed") know(filterByService(metrics, service.peek()));
    } catch (error) {
      const { code, status, error: words } = toProblem(error);
      if (feed.state.peek() === "closed") lose(status === 500 ? silenceOf(code) : words);
    }
  };
  effect(() => {
    if (feed.state.value !== "closed") return undefined;
    const timers = [setTimeout(() => void look(), FIRST_MS), setInterval(() => void look(), EVERY_MS)];
    return () => timers.forEach(clearTimeout);
  });
  return computed(() => {
    const { isLost, refusal, state } = feed;
    const lost = state.value === "stale" ? "no sample arrives" : "no connection to the server";
    const unknown = isLost.value ? lost : refusal.value?.details;
    return unknown === undefined ? count.value : { ...count.value, unknown };
  });
}

export function silenceOf(code: string | undefined): string {
  return code === "PM2_TIMEOUT" ? "PM2 does not answer" : "PM2 cannot be read";
}

/** Between two looks, in seconds: another user may mute, and a program may propose. */
const EVERY_S = 15;

type Marks = ReturnType<typeof createMarks>;

/** The mutes and notes of all users, and the proposals that wait for a decision. Another node has its own: none here. */
export function createMarks(
  api: Pick<Api, "marks" | "mute" | "note" | "proposals">,
  feed: Pick<Feed, "newest">,
  node: string,
) {
  const list = signal<readonly Mark[]>([]);
  const proposals = signal<readonly Proposal[]>([]);
  const load = async (): Promise<void> => {
    if (node !== "") return;
    // Those of the last answer stay, so that one lost request hides nothing.
    const [marked, proposed] = await Promise.allSettled([api.marks(), api.proposals()]);
    if (marked.status === "fulfilled") list.value = marked.value.marks;
    if (proposed.status === "fulfilled")
      proposals.value = proposed.value.proposals.filter(({ state }) => state === "pending");
  };
  const turn = computed(() => Math.floor((feed.newest.value?.time ?? 0) / EVERY_S));
  effect(() => {
    if (turn.value > 0) untracked(() => void load());
  });
  return {
    list,
    proposals,
    load,
    isHere: node === "",
    mute: async (body: Parameters<Api["mute"]>[0]): Promise<void> => void (list.value = (await api.mute(body)).marks),
    note: async (body: Parameters<Api["note"]>[0]): Promise<void> => void (list.value = (await api.note(body)).marks),
  };
}
