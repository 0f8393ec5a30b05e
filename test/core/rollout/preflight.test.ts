import { expect, test } from "vitest";
import { SvcmError } from "../../../src/core/api/errors.ts";
import { preflight } from "../../../src/core/rollout/apply/preflight.ts";

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
