/** Applies and rollbacks with a PM2, an ecosystem file and journals in memory. */
import { join } from "node:path";
import type { AuditRecord } from "../../../src/core/api/audit-record.ts";
import type { ReleasedCode } from "../../../src/core/api/rollout.ts";
import type { InputOf } from "../../../src/core/api/inputs.ts";
import { SvcmError, type RefusalBody } from "../../../src/core/api/errors.ts";
import { nodePorts } from "../../../src/core/index.ts";
import type { Caller } from "../../../src/core/access/operation.ts";
import type { Fields as AppFields } from "../../../src/core/pm2/normalise.ts";
import type { NextRun } from "../../../src/core/pm2/port-processes.ts";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import { applyPlan } from "../../../src/core/rollout/apply/apply.ts";
import { expectedApps } from "../../../src/core/rollout/expected.ts";
import { rolloutRollback } from "../../../src/core/rollout/operations/rollback.ts";
import type { Verdict } from "../../../src/core/running/code-evidence.ts";
import type { AppCode, CodeRequest, Uncommitted } from "../../../src/core/running/port-running-code.ts";
import type { ApplyPorts } from "../../../src/core/rollout/ports.ts";
import { simulateApply } from "../../../src/core/rollout/read-states.ts";
import type { AppliedState, EnvFileCopy, ReleaseEvent, ReleaseHead } from "../../../src/core/rollout/release.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { playPm2, type Play } from "./control/played-pm2.ts";
import { loaded, type Fields } from "./loaded.ts";

const caller: Caller = { source: "cli", actor: "amy", grants: ["read", "write", "act", "logs"] };

export interface Answer {
  readonly outcome?: string | undefined;
  readonly error?: RefusalBody | undefined;
  readonly kind?: string | undefined;
  /** The requests to PM2. */
  readonly calls: readonly string[];
}

interface More {
  git?: { commit: string; dirty: string[] };
  changedEnvFiles: Map<string, string>;
  /** Lines of each error log. */
  logs: string[];
  /** The pid in the answer to a probe. */
  answering?: () => number | null | undefined;
  /** The environment that `svcm init` recorded for this machine. */
  recorded?: string;
  /** The release folder that `current` leads to. */
  current?: string;
  switchFails?: boolean;
  /** Process ids of those that run former code. */
  stale: readonly (number | null | undefined)[];
  /** PM2's numbers of processes of which the code cannot be read. */
  unread: readonly number[];
  /** Tracked files that differ from a commit. */
  uncommitted: () => Uncommitted;
}

const ROOT = "/deploy";

export function playRollout(first: readonly ProcessRecord[] = []) {
  const play: { -readonly [Key in keyof Play]: Play[Key] } = {};
  const more: More = {
    changedEnvFiles: new Map(),
    logs: [],
    stale: [],
    unread: [],
    uncommitted: () => ({ paths: [], problem: null }),
  };
  const pm2 = playPm2(first, {
    on: (call, nowMs) => play.on?.(call, nowMs),
    look: (list, nowMs) => play.look?.(list, nowMs) ?? list,
  });
  const root = temporaryFolder();
  const real = nodePorts({ root, env: { PM2_HOME: join(root, ".pm2") }, cwd: root });
  let apps: readonly Fields[] = [];
  const journals: ReleaseEvent[][] = [];
  const audits: AuditRecord[] = [];
  const saved = new Map<string, readonly ProcessRecord[]>();
  const definition = (name: unknown): Partial<ProcessRecord> => {
    const machine = { cpuCores: 2, pm2Home: real.workspace.pm2Home };
    const all = simulateApply(expectedApps(loaded(apps), { machine, spellings: ["dev"], digest: (text) => text }));
    const { script, cwd, interpreter, execMode, instances, watching, declaration, namespace, httpPort } =
      all.find((one) => one.name === name) ?? {};
    const own = { script, cwd, interpreter, execMode, instances, watching, declaration, namespace, httpPort };
    return { ...(own as Partial<ProcessRecord>), name: String(name) };
  };
  const former = (run: NextRun, pmId: number) =>
    "recordsFile" in run ? saved.get(run.recordsFile)?.find((one) => one.pmId === pmId) : undefined;
  const own = pm2.ports.processes;
  const rerun = (how: "restart" | "reload") => async (target: ProcessRecord, run?: NextRun) => {
    const before = await own[how](target);
    const old = run === undefined ? undefined : former(run, target.pmId);
    if (old !== undefined) pm2.change(target.pmId, definitionOf(old));
    else if (run !== undefined && "app" in run) pm2.change(target.pmId, definition(run.app["name"]));
    return before;
  };
  const release = (id: string): ReleaseEvent[] =>
    journals.find(([head]) => head?.event === "release" && head.id === id) ?? [];
  const processes = {
    ...own,
    restart: rerun("restart"),
    reload: rerun("reload"),
    startApp: async (name: string, entries: readonly AppFields[], folder: string) => {
      const known = new Set(pm2.list().map(({ pmId }) => pmId));
      await own.startApp(name, entries, folder);
      for (const { pmId } of pm2.list()) if (!known.has(pmId)) pm2.change(pmId, definition(name));
    },
    registerApp: async (name: string, entries: readonly AppFields[], folder: string) => {
      await own.registerApp(name, entries, folder);
      for (const one of pm2.list()) if (one.name === name) pm2.change(one.pmId, definition(name));
    },
    duplicate: async (target: ProcessRecord) => {
      await own.duplicate(target);
      const newest = pm2.list().at(-1);
      if (newest !== undefined) pm2.change(newest.pmId, definitionOf(target));
    },
    restore: async (run: NextRun, pmId: number) => {
      pm2.calls.push(`restore ${pmId}`);
      const old = former(run, pmId);
      if (old !== undefined) pm2.add(old.name, definitionOf(old));
    },
    saveRecords: async (path: string, pmIds: readonly number[]) =>
      void saved.set(
        path,
        pm2.list().filter(({ pmId }) => pmIds.includes(pmId)),
      ),
    requireLasting: async () => undefined,
    runsElsewhere: () => [],
    lostDaemons: () => [],
    survivors: async () => [],
    readyTimes: async () => undefined,
    scrub: async (texts: readonly string[]) => texts,
    digest: (text: string) => text,
  };
  const releases = {
    claim: async () => undefined,
    withLock: async (_ms: number, work: () => Promise<unknown>) => await work(),
    lockedSince: async () => null,
    create: async (_id: string, head: ReleaseEvent) => void journals.unshift([head]),
    append: async (id: string, event: ReleaseEvent) => void release(id).push(event),
    recordRead: async () => undefined,
    recordsFile: (id: string) => `${id}/records`,
    list: async () => journals.map((events) => [...events]),
    prune: async () => undefined,
    recordedEnvironment: async () => more.recorded,
    copyEnvFiles: async (id: string, paths: readonly string[]) =>
      paths.map((path, at): EnvFileCopy => ({ path, copy: `${id}/env/${at}` })),
    changedEnvFiles: async () => more.changedEnvFiles,
  };
  const inspect = (all: readonly CodeRequest[]): AppCode[] =>
    all.map(({ app, processes: ofApp }) => {
      const stale = ofApp.filter(({ pid }) => more.stale.includes(pid));
      const changed = { verdict: "changed", reasons: [{ state: "stale", details: "api.js changed" }] } as const;
      const unknown = { verdict: "unknown", reason: "its files could not be read" } as const;
      const verdicts = new Map<number, Verdict>([
        ...stale.map(({ pmId }) => [pmId, changed] as const),
        ...more.unread.map((pmId) => [pmId, unknown] as const),
      ]);
      return { app, fingerprint: "code", verdicts, records: new Map() };
    });
  const ports = {
    ...real,
    ...pm2.ports,
    workspace: real.workspace,
    processes,
    releases,
    facts: { ...real.facts, project: async () => undefined },
    ecosystems: {
      list: async () => ["ecosystem.dev.config.cjs"],
      load: async () => loaded(apps),
      withheldValues: () => [],
    },
    revisions: { readState: async () => more.git, refusal: async () => undefined },
    runningCode: {
      inspect: async (all: readonly CodeRequest[]) => inspect(all),
      listUncommitted: async () => more.uncommitted(),
    },
    audit: { newest: async () => ({ records: [] }), append: async (one: AuditRecord) => void audits.push(one) },
    logs: { read: async () => ({ lines: more.logs.map((text) => ({ text })), older: null }) },
    health: { check: async () => ({ state: "healthy", pid: more.answering?.() ?? null }) },
    deployed: {
      world: async () => undefined,
      current: async () => more.current ?? null,
      planSwitch: async ({ id }: Pick<ReleasedCode, "id">) =>
        id === more.current ? undefined : { path: `${ROOT}/current`, from: `releases/${more.current}`, to: id },
      switchTo: async ({ id }: Pick<ReleasedCode, "id">) => {
        pm2.calls.push(`current ${id}`);
        if (more.switchFails) throw new SvcmError("DEPLOY_FAILED", { details: "no space" });
        more.current = id ?? "";
      },
      endUndone: async (code: Pick<ReleasedCode, "former">) => void pm2.calls.push(`undone to ${code.former}`),
      changedFiles: async () => [],
      withLock: async (folder: string, _ms: number, work: () => Promise<unknown>) => (
        pm2.calls.push(`lock ${folder}`),
        await work()
      ),
    },
    host: { ...real.host, cpuCores: () => 2, randomId: () => "0" },
  } as unknown as ApplyPorts;
  const answer = async (work: () => Promise<{ readonly outcome: string } | null>): Promise<Answer> => {
    pm2.calls.length = 0;
    const ended = await work().catch((error: unknown) => error);
    const calls = [...pm2.calls];
    if (ended instanceof SvcmError) return { kind: ended.kind, error: ended.body, calls };
    if (ended instanceof Error) throw ended;
    return { outcome: (ended as { readonly outcome: string } | null)?.outcome, calls };
  };
  return {
    ports,
    play,
    more,
    pm2,
    journals,
    audits,
    declare: (next: readonly Fields[]) => void (apps = next),
    apply: (input: Partial<InputOf<"rollout.apply">> = {}, by: Partial<Caller> = {}, deploy?: ReleasedCode) =>
      answer(async () => {
        const complete = { environment: "dev", ...input };
        return (await applyPlan(ports, complete, { ...caller, ...by }, deploy)).release;
      }),
    rollback: (input: InputOf<"rollout.rollback"> = {}, by: Partial<Caller> = {}) =>
      answer(() => rolloutRollback.run(ports, input, { ...caller, ...by })),
    /** Of the newest release. */
    head: (): ReleaseHead | undefined => journals[0]?.find((event) => event.event === "release"),
    /** The apps that the newest release left. */
    left: (): AppliedState["apps"] => {
      const end = journals[0]?.findLast((event) => event.event === "end");
      return (end?.event === "end" ? end.left?.apps : undefined) ?? {};
    },
  };
}

const ERRORED = { status: "errored", pid: null, startedAt: null };

/** Each call fails as often as it is named. */
export function failTimes(failing: readonly string[]): NonNullable<Play["on"]> {
  const open = [...failing];
  return (call) => (open.includes(call) ? (open.splice(open.indexOf(call), 1), ERRORED) : undefined);
}

/** The apps run as an apply left them, and each of these calls fails as often as it is named. */
export async function playApplied(
  apps: readonly Fields[],
  next: readonly Fields[] = apps,
  failing: readonly string[] = [],
): Promise<ReturnType<typeof playRollout>> {
  const world = playRollout();
  world.declare(apps);
  await world.apply();
  world.declare(next);
  world.play.on = failTimes(failing);
  world.audits.length = 0;
  return world;
}

export const api = (value: string, more: Fields = {}): Fields => ({ ...more, env: { A: value } });
export const WORKER = { name: "worker", script: "/srv/worker.js" };

function definitionOf(one: ProcessRecord): Partial<ProcessRecord> {
  const { name, script, cwd, interpreter, execMode, instances, watching, declaration, namespace, httpPort } = one;
  return { name, script, cwd, interpreter, execMode, instances, watching, declaration, namespace, httpPort };
}
