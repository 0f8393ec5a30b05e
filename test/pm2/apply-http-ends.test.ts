import { writeFileSync } from "node:fs";
import { expect } from "vitest";
import { rollbackPlanBody } from "../../src/core/api/rollout-requests.ts";
import { planBody } from "../../src/core/api/rollout.ts";
import { ask, post } from "../server/support.ts";
import { newestRecord } from "../support/records.ts";
import { serve } from "../support/svcm.ts";
import { APPLY, appsUnderPm2, listener, plan, release, ROLLBACK, words } from "./applied-apps.ts";
import { longTest } from "../support/runs.ts";

const { own, ports, app, gate, start, begin } = appsUnderPm2();

longTest(
  "a server that is closed during an apply finishes the current step, and the journal says what is left",
  async () => {
    const server = await start();
    const watching = await listener(server);
    const id = await begin(server, [app("api", { MODE: "2", HELD: gate() }), app("web", { MODE: "2" })]);
    await watching.step();
    const closed = server.close();
    writeFileSync(gate(), "");
    await closed;
    const after = await start({ repository: server.repository });
    expect(await release(after, id)).toMatchObject({
      outcome: "half",
      steps: [{ app: "api", phase: "done" }, { app: "web", phase: "not-begun" }, { phase: "not-begun" }],
    });
    expect((await plan(after)).steps.map(({ app: name }) => name)).toEqual(["web", ""]);
    expect(await newestRecord(ports.audit, 1)).toMatchObject([
      { action: "plan.apply", outcome: "failed", code: "APPLY_HALF" },
    ]);
  },
);

const ends = [
  ["SIGTERM", 0, "done"],
  ["SIGKILL", null, "failed"],
] as const;
longTest.each(ends)(
  "after %s of svcm serve during an apply, the release is half and the next plan says what is left",
  async (signal, code, phase) => {
    const env = { PM2_HOME: own.home, SVC_SERVICE_MANAGEMENT_CONFIG_DIR: own.folder };
    const world = { root: own.folder, env };
    const { url, stop } = await serve(world);
    const server = { port: Number(new URL(url).port) };
    const watching = await listener(server);
    const id = await begin(server, [app("api", { MODE: "2", HELD: gate() }), app("web", { MODE: "2" })]);
    await watching.step();
    const ended = stop(signal);
    if (signal === "SIGKILL") await ended;
    writeFileSync(gate(), "");
    expect(await ended).toBe(code);
    const after = await serve(world);
    const next = { port: Number(new URL(after.url).port) };
    expect(await release(next, id)).toMatchObject({
      outcome: "half",
      steps: [{ app: "api", phase }, { app: "web", phase: "not-begun" }, { phase: "not-begun" }],
    });
    expect((await plan(next)).steps.map(({ app: name }) => name)).toContain("web");
  },
);

longTest("the choices of a plan apply to its apply: prune deletes an app that an apply started", async () => {
  const server = await start();
  const watching = await listener(server);
  await begin(server, [app("api"), app("web"), app("extra")]);
  await watching.all();
  own.pm2Folder([app("api"), app("web")]);
  expect((await plan(server)).undeclared).toMatchObject([{ name: "extra", owned: true }]);
  const pruned = planBody.parse((await ask(server, "/api/runtime/plan?environment=dev&prune=true")).json);
  expect(pruned.steps[0]).toMatchObject({ do: "remove", app: "extra" });
  const body = { environment: "dev", plan: pruned.id };
  expect(await post(server, body, {}, APPLY)).toMatchObject({ status: 409, json: { code: "PLAN_STALE" } });
  expect((await post(server, { ...body, prune: true }, {}, APPLY)).status).toBe(202);
  expect((await watching.all()).at(-1)?.outcome).toBe("applied");
  expect((await ports.processes.list()).map(({ name }) => name).toSorted()).toEqual(["api", "web"]);
});

longTest("a rollback restores the apps step by step, and can be undone", async () => {
  const server = await start();
  const watching = await listener(server);
  const id = await begin(server, [app("api", { MODE: "2" }), app("web")]);
  await watching.all();
  const response = await ask(server, `${ROLLBACK}?release=${id}`);
  const { id: undo, steps } = rollbackPlanBody.parse(response.json);
  expect(steps).toMatchObject([{ do: "return", app: "api", disruption: "gap", changed: true }]);
  const stale = await post(server, { release: id, plan: "1234-5678" }, {}, ROLLBACK);
  expect(stale).toMatchObject({ status: 409, json: { code: "PLAN_STALE" } });
  const answer = await post(server, { release: id, plan: undo }, {}, ROLLBACK);
  expect(answer.status).toBe(202);
  const frames = await watching.all();
  expect(frames.map(words)).toEqual(["1/1 return api begun", "1/1 return api done", "1/1 return api done applied"]);
  expect((await plan(server)).steps[0]).toMatchObject({ do: "update", app: "api" });
  expect(await release(server, answer.json.release)).toMatchObject({ undoes: id, outcome: "applied" });
});
