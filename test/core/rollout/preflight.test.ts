import { describe, expect, test } from "vitest";
import { SvcmError } from "../../../src/core/api/errors.ts";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import { preflight, recover } from "../../../src/core/rollout/apply/preflight.ts";
import { playPm2, running, type Play } from "./control/played-pm2.ts";

const APP = {
  script: "./app.cjs",
  cwd: "/srv/shop",
  instances: 4,
  exec_mode: "cluster",
  watch: true,
  autorestart: true,
  cron_restart: "0 3 * * *",
  max_memory_restart: "300M",
  out_file: "./web.log",
  kill_timeout: 3000,
};

/** Asks PM2 for the trial, which PM2 refuses. */
async function trialOf(portKey: string | null) {
  const given: unknown[] = [];
  const ports = {
    health: { freePorts: async (count: number) => Array.from({ length: count }, (_, at) => 9001 + at) },
    processes: {
      withLock: (_: string, work: () => unknown) => work(),
      list: async () => [],
      startApp: async (...app: readonly unknown[]) => {
        given.push(...app);
        throw new SvcmError("PM2_FAILED", { details: "svcm-preflight-web was refused" });
      },
    },
  };
  const declared = { name: "web", apps: [APP], folder: "/srv/shop", env: { PORT: "3000", COLOUR: "blue" } };
  const requirement = { probe: { portKey }, deadlineMs: 1000, minHealthyMs: 0 };
  const thrown = await preflight(ports as never, declared as never, requirement as never).catch(
    (error: unknown) => error,
  );
  return { given, thrown };
}

test("the trial is one process that never begins again and writes to no file of the app", async () => {
  const { given, thrown } = await trialOf("PORT");
  expect(given).toEqual([
    "svcm-preflight-web",
    [
      {
        name: "svcm-preflight-web",
        script: "./app.cjs",
        cwd: "/srv/shop",
        kill_timeout: 3000,
        exec_mode: "fork",
        autorestart: false,
        watch: false,
        out_file: "/dev/null",
        error_file: "/dev/null",
        env: { PORT: "9001", SVC_HTTP_PORT: "9002", SVC_GRPC_PORT: "9003", COLOUR: "blue" },
      },
    ],
    "/srv/shop",
  ]);
  expect(thrown).toMatchObject({
    kind: "PREFLIGHT_FAILED",
    body: { details: expect.stringContaining("web was refused") as string },
  });
});

test("without a variable for its port, an app gets no trial", async () => {
  expect(await trialOf(null)).toEqual({ given: [], thrown: undefined });
});

describe("a trial", () => {
  const requirement = { probe: { portKey: "PORT", path: "/healthz" }, deadlineMs: 3000, minHealthyMs: 0 };
  const declared = { name: "web", apps: [APP], folder: "/srv/shop", env: { PORT: "3000" } };
  const trial = async (check: (port: number) => object, first: readonly ProcessRecord[] = []) => {
    const pm2 = playPm2(first);
    const health = {
      freePorts: async (count: number) => Array.from({ length: count }, (_, at) => 9001 + at),
      check: async ({ port }: { readonly port: number }) => check(port),
    };
    const thrown = await preflight({ ...pm2.ports, health } as never, declared as never, requirement as never).catch(
      (error: unknown) => error,
    );
    return { thrown, calls: pm2.calls };
  };
  const calls = ["start app svcm-preflight-web", "delete 1"];
  const pid = 1001;

  test("that answers on its spare port is deleted, and the app itself is left alone", async () => {
    const ports: number[] = [];
    const answer = (port: number) => (ports.push(port), { state: "healthy", pid });
    expect(await trial(answer, [running(0, { name: "web" })])).toEqual({ thrown: undefined, calls });
    expect(new Set(ports)).toEqual(new Set([9001]));
  });

  test("that does not answer well is deleted, and the failure is that of the app", async () => {
    const sick = { state: "unhealthy", code: "HEALTH_STATUS", details: "It answers 503.", pid: null };
    const { thrown, calls: made } = await trial(() => sick, [running(0, { name: "web" })]);
    expect(made).toEqual(calls);
    expect(thrown).toMatchObject({
      kind: "PREFLIGHT_FAILED",
      body: { code: "PREFLIGHT_FAILED", details: "web is not healthy on a spare port: It answers 503." },
    });
  });

  test("that fails by a defect is deleted, too, and the defect is passed on", async () => {
    const defect = new TypeError("defect");
    const failing = () => {
      throw defect;
    };
    expect(await trial(failing, [running(0, { name: "web" })])).toEqual({ thrown: defect, calls });
  });
});

describe("before an apply", () => {
  const before = async (list: readonly ProcessRecord[], play: Play = {}) => {
    const pm2 = playPm2(list, play);
    const thrown = await recover(pm2.ports).catch((error: unknown) => error);
    return { thrown, calls: pm2.calls, waitedMs: pm2.waitedMs() };
  };

  test("trials that a killed svcm has left are deleted, and nothing else is", async () => {
    const left = running(1, { name: "svcm-preflight-web" });
    expect((await before([running(0), left])).calls).toEqual(["delete 1"]);
  });

  test("svcm waits until PM2 has ended what it is stopping, or no longer lists", async () => {
    const stopping: Play = {
      look: (list, nowMs) => list.map((one) => ({ ...one, status: nowMs < 12_000 ? "stopping" : "stopped" })),
    };
    expect(await before([running(0)], stopping)).toEqual({ thrown: undefined, calls: [], waitedMs: 2000 });
    const unlisted: Play = { unlisted: (nowMs) => (nowMs < 13_000 ? [7] : []) };
    expect(await before([running(0)], unlisted)).toEqual({ thrown: undefined, calls: [], waitedMs: 3000 });
    expect((await before([running(0)])).waitedMs).toBe(0);
  });

  test("processes that stay beside PM2's list are named, and nothing is touched", async () => {
    const left = running(1, { name: "svcm-preflight-web" });
    const { thrown, calls } = await before([left], { unlisted: () => [7, 8] });
    const hint = "Check them, end them, and try again: kill 7 8";
    expect(thrown).toMatchObject({ kind: "PROCESS_ACTION_REFUSED", body: { code: "PROCESS_UNLISTED", hint } });
    expect(calls).toEqual([]);
  });
});
