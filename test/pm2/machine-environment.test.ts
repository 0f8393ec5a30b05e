/** A PM2 knows the environment for which it was last applied. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect } from "vitest";
import { execute, processAct, rolloutApply, rolloutPlan, SvcmError } from "../../src/core/index.ts";
import { IDLE } from "../support/pm2-daemon.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { longTest } from "../support/runs.ts";

const caller = { source: "cli", grants: ["read", "write", "logs"] } as const;
const { own, ports } = runningPm2();

beforeAll(() => {
  writeFileSync(join(own.folder, "deployments.yaml"), "rollout: { minHealthyTime: 100ms }");
  writeFileSync(join(own.folder, "app.cjs"), IDLE);
  for (const environment of ["dev", "production"])
    own.pm2Folder([{ name: "web", script: "./app.cjs", env: { MODE: environment } }], environment);
  own.pm2Folder([{ name: "staging-web", script: "./app.cjs" }], "staging");
});

const refusal = (done: Promise<unknown>): Promise<unknown> =>
  done.then(
    () => "done",
    (error: unknown) => (error instanceof SvcmError ? { kind: error.kind, ...error.body } : error),
  );
const pids = async () => (await ports.processes.list()).map(({ name, pid }) => [name, pid]);

longTest(
  "the environment of the last apply is the default, and a switch is refused unless it is requested",
  async () => {
    expect(await execute(rolloutPlan, ports, {}, caller)).toMatchObject({ environment: "dev" });
    // The record of svcm init counts until an apply.
    await ports.releases.recordEnvironment("staging");
    expect(await execute(rolloutPlan, ports, {}, caller)).toMatchObject({ environment: "staging" });
    await execute(rolloutApply, ports, { environment: "production" }, caller);
    expect(await execute(rolloutPlan, ports, {}, caller)).toMatchObject({ environment: "production", changed: false });
    expect(await execute(rolloutApply, ports, {}, caller)).toMatchObject({ release: null });
    const restart = { action: "restart", scope: "ecosystem", name: "web" } as const;
    await execute(processAct, ports, restart, caller);
    expect(await execute(rolloutPlan, ports, {}, caller)).toMatchObject({ environment: "production", changed: false });

    const before = await pids();
    const { issues } = await execute(rolloutPlan, ports, { environment: "dev" }, caller);
    expect(issues).toMatchObject([{ code: "ENVIRONMENT_SWITCH", severity: "error" }]);
    expect(await refusal(execute(rolloutApply, ports, { environment: "dev" }, caller))).toMatchObject({
      kind: "APPLY_REFUSED",
      code: "ENVIRONMENT_SWITCH",
      details: expect.stringContaining("web would move from production to dev") as string,
    });
    // Only an apply has the flag that permits it.
    const moving = execute(processAct, ports, { ...restart, environment: "dev" }, caller);
    expect(await refusal(moving)).toMatchObject({
      kind: "PROCESS_ACTION_REFUSED",
      code: "ENVIRONMENT_SWITCH",
      details: expect.stringContaining("svcm apply --environment dev --switch-environment") as string,
    });
    expect(await pids()).toEqual(before);

    // A token that is limited to an environment was checked for the default of the repository.
    const limited = { ...caller, limits: { environments: ["dev"] } };
    expect(await execute(rolloutPlan, ports, {}, limited)).toMatchObject({ environment: "dev" });

    await execute(rolloutApply, ports, { environment: "staging" }, caller);
    expect(await execute(rolloutPlan, ports, {}, caller)).toMatchObject({ environment: "staging" });
    const switched = { environment: "dev", switchEnvironment: true };
    expect(await execute(rolloutApply, ports, switched, caller)).toMatchObject({ release: { outcome: "applied" } });
    expect(await execute(rolloutPlan, ports, { environment: "dev" }, caller)).toMatchObject({ changed: false });
  },
);
