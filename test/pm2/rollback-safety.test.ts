/** A rollback checks what it needs before it touches a process, and is undone if it fails. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, expect } from "vitest";
import {
  execute,
  releaseShow,
  rolloutApply,
  rolloutPlan,
  rolloutRollback,
  rolloutRollbackPlan,
  SvcmError,
} from "../../src/core/index.ts";
import type { ReleaseEvent } from "../../src/core/rollout/release.ts";
import { IDLE } from "../support/pm2-daemon.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { longTest } from "../support/runs.ts";

const caller = { source: "cli", grants: ["read", "write", "logs"] } as const;
const { own, ports } = runningPm2();
const folderOf = (release: number): string => join(own.folder, `releases/${release}`);

beforeAll(() => writeFileSync(join(own.folder, "deployments.yaml"), "rollout: { minHealthyTime: 100ms }"));
beforeEach(async () => {
  for (const record of await ports.processes.list()) await ports.processes.remove(record);
  for (const release of [1, 2]) {
    mkdirSync(folderOf(release), { recursive: true });
    writeFileSync(join(folderOf(release), "app.cjs"), IDLE);
  }
});

const apply = (apps: readonly object[], message?: string) => {
  own.pm2Folder(apps);
  return execute(rolloutApply, ports, { environment: "dev", message }, caller);
};
const released = (release: number, ...names: string[]) =>
  names.map((name) => ({ name, script: join(folderOf(release), "app.cjs"), cwd: folderOf(release) }));
const pids = async () => (await ports.processes.list()).map(({ name, pid, cwd }) => [name, pid, cwd]);
const refusal = (done: Promise<unknown>): Promise<unknown> =>
  done.then(
    () => "done",
    (error: unknown) => (error instanceof SvcmError ? { kind: error.kind, ...error.body } : error),
  );

longTest("a rollback to a folder that is gone is refused, and no process is touched", async () => {
  await apply(released(1, "web", "worker"));
  await apply(released(2, "web", "worker"), "second");
  const before = await pids();
  const plan = await execute(rolloutRollbackPlan, ports, {}, caller);
  expect(plan).toMatchObject({ message: "second", commit: null, changed: true });
  rmSync(folderOf(1), { recursive: true });
  const gone = { kind: "APPLY_REFUSED", code: "RELEASE_GONE", details: expect.stringContaining(folderOf(1)) as string };
  expect(await refusal(execute(rolloutRollbackPlan, ports, {}, caller))).toMatchObject(gone);
  expect(await refusal(execute(rolloutRollback, ports, {}, caller))).toMatchObject(gone);
  expect(await pids()).toEqual(before);
});

longTest("a caller of one environment rolls back a release of it by its name, and none of another one", async () => {
  await apply(released(1, "web"));
  const { release } = await apply(released(2, "web"));
  const limited = (...environments: string[]) =>
    ({ ...caller, actor: "dora", role: "editor", limits: { environments } }) as const;
  const codeFor = async (environment: string, input: object) =>
    (await refusal(execute(rolloutRollback, ports, input, limited(environment)))) as { code?: string };
  expect(await codeFor("staging", { release: release?.id })).toMatchObject({ code: "TOKEN_LIMITED" });
  // Another release could be the newest one by then.
  expect(await codeFor("dev", {})).toMatchObject({
    code: "TOKEN_LIMITED",
    details: expect.stringContaining("name a release") as string,
  });
  expect(await codeFor("dev", { release: release?.id })).toBe("done");
  expect((await pids()).map(([name, , cwd]) => [name, cwd])).toEqual([["web", folderOf(1)]]);
});

longTest("a rollback that fails is undone: every touched app runs as before it", async () => {
  await apply(released(1, "web", "worker"));
  await apply(released(2, "web", "worker"));
  // The last app comes first, and the code of the first one no longer starts.
  writeFileSync(join(folderOf(1), "web.cjs"), "process.exit(3)");
  const { releases } = ports;
  const breaking = async (id: string, event: ReleaseEvent): Promise<void> => {
    await releases.append(id, event);
    if (event.event === "step" && event.step === 0 && event.phase === "done")
      renameSync(join(folderOf(1), "web.cjs"), join(folderOf(1), "app.cjs"));
  };
  const world = { ...ports, releases: { ...releases, append: breaking } };
  expect(await refusal(execute(rolloutRollback, world, { timeoutMs: 20_000 }, caller))).toMatchObject({
    kind: "APPLY_REVERTED",
    details: expect.stringContaining("The rollback failed. Every touched app runs as before.") as string,
  });
  expect((await pids()).map(([name, , cwd]) => [name, cwd])).toEqual([
    ["web", folderOf(2)],
    ["worker", folderOf(2)],
  ]);
  own.pm2Folder(released(2, "web", "worker"));
  expect((await execute(rolloutPlan, ports, { environment: "dev" }, caller)).steps).toEqual([]);
});

longTest("after a kill before the save, the plan says that the list for the next boot is old", async () => {
  await apply(released(1, "web"));
  const { releases } = ports;
  const killed = async (id: string, event: ReleaseEvent): Promise<void> => {
    if (event.event === "end" || (event.event === "step" && event.step === 1)) throw new Error("killed");
    await releases.append(id, event);
  };
  const world = { ...ports, releases: { ...releases, append: killed } };
  own.pm2Folder(released(2, "web"));
  await expect(execute(rolloutApply, world, { environment: "dev" }, caller)).rejects.toThrow("killed");
  expect(readFileSync(join(own.home, "dump.pm2"), "utf8")).toContain(folderOf(1));
  expect((await execute(rolloutPlan, ports, { environment: "dev" }, caller)).steps).toMatchObject([
    { do: "save", notes: ["DUMP_STALE"] },
  ]);
  const { release } = await apply(released(2, "web"));
  expect(readFileSync(join(own.home, "dump.pm2"), "utf8")).toContain(folderOf(2));
  expect(await execute(releaseShow, ports, { release: release!.id }, caller)).toMatchObject({ outcome: "applied" });
  expect((await execute(rolloutPlan, ports, { environment: "dev" }, caller)).steps).toEqual([]);
});

longTest("a variable that PM2 itself provides may leave the declaration of a deleted app", async () => {
  const [app] = released(1, "web");
  await apply([{ ...app, env: { PATH: "/usr/bin:/bin:/usr/local/bin" } }]);
  for (const record of await ports.processes.list()) await ports.processes.remove(record);
  expect((await apply([app!])).release?.outcome).toBe("applied");
});
