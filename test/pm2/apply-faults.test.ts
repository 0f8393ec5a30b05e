import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { execute, processAct, SvcmError, type Ports } from "../../src/core/index.ts";
import { commandLine, start } from "../support/child.ts";
import { endProcesses } from "../support/pm2-daemon.ts";
import { api, caller, isStep, refusal, twoAppsUnderPm2, web } from "./two-apps.ts";
import { firstOrAll, longTest } from "../support/runs.ts";

const {
  own,
  ports,
  daemon,
  startDaemon,
  apply,
  when,
  withoutPatience,
  stepsLeft,
  byPm2,
  recordOf,
  startApply,
  outcome,
} = twoAppsUnderPm2();

const refusalOrOutcome = (done: ReturnType<typeof apply>): Promise<unknown> =>
  done.then(
    ({ release }) => release?.outcome,
    (error: unknown) => (error instanceof SvcmError ? `${error.kind}: ${error.message}` : error),
  );

longTest(
  "a signal between two steps ends the apply after the step: the release is half done, and the next apply continues",
  async () => {
    const stop = new AbortController();
    const world = when(isStep(0, "begun"), () => stop.abort());
    const refused = await refusal(apply([api("2"), web("2")], world, stop.signal));
    expect(refused.kind).toBe("APPLY_HALF");
    expect(await outcome()).toBe("half");
    expect(await stepsLeft()).toBe(2);
    await apply([api("2"), web("2")]);
    expect(await stepsLeft()).toBe(0);
  },
);

longTest("without a begun step, a signal leaves everything as it is", async () => {
  const before = await recordOf("api");
  const refused = await refusal(apply([api("2"), web("2")], ports, AbortSignal.abort()));
  expect([refused.kind, refused.message]).toEqual([
    "APPLY_REVERTED",
    "It was interrupted before its first step. No process was changed.",
  ]);
  expect(await outcome()).toBe("refused");
  expect((await recordOf("api")).pid).toBe(before.pid);
});

/** As a terminal that was closed, for the second. */
const signals = [
  ["SIGINT", { code: 3, signal: null }, "half", 2],
  ["SIGHUP", { code: 0, signal: null }, "applied", 0],
] as const;
longTest.each(firstOrAll(signals))(
  "%s to svcm during a step ends the apply after it, or lets it go through",
  async (signal, ended, result, left) => {
    own.pm2Folder([{ ...api("2"), wait_ready: true, listen_timeout: 60_000 }, web("2")]);
    const svcm = startApply();
    writeFileSync(join(own.folder, "interrupt"), `${svcm.pid} ${signal}`);
    expect(await svcm.ended).toEqual(ended);
    rmSync(join(own.folder, "interrupt"));
    expect(await outcome()).toBe(result);
    expect(await stepsLeft()).toBe(left);
  },
);

const restarts = [
  ["PM2's command", () => byPm2("restart", "web")],
  ["svcm", () => execute(processAct, ports, { action: "restart", name: "web" }, caller)],
] as const;
longTest.each(firstOrAll(restarts))(
  "an apply continues if a user restarts a process with %s before its step",
  async (_, restart) => {
    const world = when(isStep(0, "done"), restart);
    expect((await apply([api("3"), web("3")], world)).release?.outcome).toBe("applied");
    expect(await stepsLeft()).toBe(0);
  },
);

longTest("an apply continues if PM2 restarts an app after a crash before its step", async () => {
  const { pid } = await recordOf("web");
  const world = when(isStep(0, "done"), async () => {
    process.kill(pid!, "SIGKILL");
    await expect.poll(async () => [pid, null].includes((await recordOf("web")).pid)).toBe(false);
  });
  expect((await apply([api("3"), web("3")], world)).release?.outcome).toBe("applied");
  expect(await stepsLeft()).toBe(0);
});

longTest("an apply continues if PM2 restarts an app because of its memory before its step", async () => {
  const fat = { ...web("1"), max_memory_restart: "200M", env: { MODE: "1", FAT: "1" } };
  await apply([api("1"), fat]);
  const { pid } = await recordOf("web");
  const world = when(isStep(0, "done"), async () => {
    writeFileSync(join(own.folder, "fat"), "");
    while ([pid, null].includes((await recordOf("web")).pid));
    rmSync(join(own.folder, "fat"));
  });
  expect((await apply([api("3"), { ...fat, args: "x" }], world)).release?.outcome).toBe("applied");
  expect(await stepsLeft()).toBe(0);
});

longTest(
  "a process that a user restarts immediately after the last step does not make the apply half done",
  async () => {
    // PM2 checks ten times a second whether the process has ended, and lists it as stopped until then.
    let stopped = 0;
    const keyed: typeof ports.processes.withHomeKey = async () => {
      const { list, digest } = await ports.processes.withHomeKey();
      const listed: typeof list = async (signal) =>
        (await list(signal)).map((record) =>
          stopped > 0 && record.name === "web" ? { ...record, status: "stopped", pid: null, startedAt: null } : record,
        );
      return { list: (signal) => listed(signal).finally(() => void (stopped -= 1)), digest };
    };
    const world = when(isStep(2, "done"), () => void (stopped = 2));
    const inRestart: Ports = Object.create(world, { processes: { value: { ...ports.processes, withHomeKey: keyed } } });
    expect(await refusalOrOutcome(apply([api("3"), web("3")], inRestart))).toBe("applied");
    expect(stopped).toBeLessThan(0);
  },
);

longTest("a restart by svcm during a step waits for the step, and both succeed", async () => {
  let restarted: Promise<unknown> | undefined;
  const restart = { action: "restart", name: "web" } as const;
  const world = when(isStep(1, "begun"), () => void (restarted = execute(processAct, ports, restart, caller)));
  const applied = await refusalOrOutcome(apply([api("3"), web("3")], world));
  await restarted;
  expect(applied).toBe("applied");
  expect(await stepsLeft()).toBe(0);
});

longTest(
  "a shell variable that a user adds to a process before its step stops the apply, and the variable stays",
  async () => {
    const world = when(isStep(0, "done"), () => byPm2("restart", "web", "--update-env"));
    const refused = await refusal(apply([api("3"), web("3")], world));
    expect([refused.kind, refused.body.code]).toEqual(["APPLY_REVERTED", "PROCESS_CHANGED"]);
    const { pid } = await recordOf("web");
    expect(readFileSync(`/proc/${pid}/environ`, "utf8")).toContain("OF_THE_SHELL=1");
    expect((await recordOf("api")).status).toBe("online");
  },
);

longTest("an app that PM2 is launching when an apply begins is awaited, and no process is left over", async () => {
  const gate = join(own.folder, "gate");
  const held = { ...web("1"), wait_ready: true, listen_timeout: 60_000, env: { MODE: "1", HELD: gate } };
  writeFileSync(gate, "");
  await apply([api("1"), held]);
  rmSync(gate);
  const { pid } = await recordOf("web");
  process.kill(pid!, "SIGKILL");
  await expect.poll(async () => (await recordOf("web")).status).toBe("launching");
  const world = when(isStep(0, "begun"), () => writeFileSync(gate, ""));
  expect((await apply([api("1"), { ...held, kill_timeout: 999 }], world)).release?.outcome).toBe("applied");
  expect(await stepsLeft()).toBe(0);
  const listed = (await ports.processes.list()).map((record) => record.pid);
  // PM2 runs Git for a moment after a start.
  await expect.poll(() => new Set(own.pids())).toEqual(new Set([daemon().pid, ...listed]));
});

longTest("if PM2 runs a process that it does not list, nothing is applied until that process has ended", async () => {
  own.pm2Folder([{ ...web("1"), name: "lost", wait_ready: true, listen_timeout: 60_000, env: { HELD: "/nowhere" } }]);
  const started = own.startDeclared("lost").catch(() => undefined);
  await expect.poll(async () => (await recordOf("lost"))?.status).toBe("launching");
  // PM2 treats the end of a process that it is launching as a crash, and starts it again.
  await byPm2("delete", "lost");
  await expect.poll(() => ports.processes.unlistedPids()).toHaveLength(1);
  const [pid = 0] = await ports.processes.unlistedPids();
  const before = await ports.processes.list();
  const refused = await refusal(apply([api("3"), web("3")], withoutPatience()));
  expect([refused.kind, refused.body.code]).toEqual(["PROCESS_ACTION_REFUSED", "PROCESS_UNLISTED"]);
  expect(refused.message).toContain(`with these process ids: ${pid}.`);
  expect((await ports.processes.list()).map((one) => one.pid)).toEqual(before.map((one) => one.pid));
  process.kill(pid, "SIGKILL");
  await started;
  await apply([api("3"), web("3")]);
  expect(await stepsLeft()).toBe(0);
});

longTest(
  "a definition that a user changes before its step stops the apply: svcm's own steps are reverted, the other change stays",
  async () => {
    const world = when(isStep(0, "done"), async () => {
      own.pm2Folder([api("1"), { ...web("1"), kill_timeout: 999 }]);
      await execute(
        processAct,
        ports,
        { action: "restart", scope: "ecosystem", name: "web", environment: "dev" },
        caller,
      );
    });
    const refused = await refusal(apply([api("3"), web("3")], world));
    expect([refused.kind, refused.body.code]).toEqual(["APPLY_REVERTED", "PROCESS_CHANGED"]);
    own.pm2Folder([api("1"), { ...web("1"), kill_timeout: 999 }]);
    expect(await stepsLeft()).toBe(0);
  },
);

longTest("a process that a user deletes before its step stops the apply, and the process stays deleted", async () => {
  const world = when(isStep(0, "done"), () => byPm2("delete", "web"));
  const refused = await refusal(apply([api("3"), web("3")], world));
  expect([refused.kind, refused.body.code]).toEqual(["APPLY_REVERTED", "PROCESS_CHANGED"]);
  expect((await ports.processes.list()).map(({ name }) => name)).toEqual(["api"]);
  own.pm2Folder([api("1")]);
  expect(await stepsLeft()).toBe(0);
});

longTest("an app that is not as declared after the last step is named", async () => {
  const deleted = when(isStep(1, "begun"), () => byPm2("delete", "api"));
  const refused = await refusal(apply([api("4"), web("4")], deleted));
  expect(refused.kind).toBe("APPLY_HALF");
  expect(refused.body).toMatchObject({
    details: expect.stringMatching(
      /^Every step is done, but api is no longer as declared after its step\. No app with a step runs as before\./,
    ),
    hint: expect.stringContaining("svcm why api"),
    failure: { app: "api" },
  });
  await apply([api("4"), web("4")]);
  expect(await stepsLeft()).toBe(0);

  // The steps of another app are done, and no command that undoes them helps this one.
  const other = await refusal(
    apply(
      [api("5"), web("4")],
      when(isStep(0, "begun"), () => byPm2("delete", "web")),
    ),
  );
  expect([other.kind, other.message, other.body.hint]).toEqual([
    "APPLY_HALF",
    "Every step is done, but web is no longer as declared; it had no step.",
    "Read why: svcm why web. Its step: svcm plan",
  ]);
  await apply([api("5"), web("4")]);
  expect(await stepsLeft()).toBe(0);
});

longTest("after a SIGKILL during a step, the release is half done, and the next apply finishes it", async () => {
  own.pm2Folder([api("3"), web("3")]);
  const env = { HOME: own.folder, PM2_HOME: own.home };
  expect((await start(commandLine("apply-and-die", own.folder, "2", "after"), env).ended).signal).toBe("SIGKILL");
  expect(await outcome()).toBe("half");
  await apply([api("3"), web("3")]);
  expect(await stepsLeft()).toBe(0);
});

longTest("a boot after an apply starts the applied processes", async () => {
  await apply([api("6"), web("6")]);
  await byPm2("kill");
  await startDaemon();
  await byPm2("resurrect");
  expect(await stepsLeft()).toBe(0);
  expect(readFileSync(join(own.home, "dump.pm2"), "utf8")).toContain('"MODE":"6"');
});

const ends = [
  ["killed", () => daemon().signal("SIGKILL")],
  ["ended by its own command", () => byPm2("kill")],
] as const;
longTest.each(ends)(
  "a PM2 that is %s during an apply leaves a release half done, and the next apply starts the apps",
  async (_, end) => {
    const refused = await refusal(apply([api("5"), web("5")], when(isStep(0, "done"), end)));
    expect(refused.kind).toBe("APPLY_HALF");
    expect(await outcome()).toBe("half");
    // Its apps outlive a killed daemon.
    endProcesses(own.home);
    await startDaemon();
    await apply([api("5"), web("5")]);
    expect(await stepsLeft()).toBe(0);
  },
);
