import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { connect } from "../../src/client/index.ts";
import { planBody } from "../../src/core/api/rollout.ts";
import { ask, post } from "../server/support.ts";
import { svcm } from "../support/svcm.ts";
import { APPLY, appsUnderPm2, CANARY, listener, plan, release, ROLLBACK, words } from "./applied-apps.ts";
import { longTest } from "../support/runs.ts";

const { own, ports, app, gate, start, begin } = appsUnderPm2();

longTest("an apply is answered before its first step, and subscribers and the release see its steps", async () => {
  const server = await start();
  const watching = await listener(server);
  const id = await begin(server, [app("api", { MODE: "2" }), app("web")]);
  const frames = await watching.all();
  expect(frames.map(words)).toEqual([
    "1/2 update api begun",
    "1/2 update api done",
    "2/2 save  begun",
    "2/2 save  done",
    "2/2 save  done applied",
  ]);
  expect(new Set(frames.map((frame) => frame.release))).toEqual(new Set([id]));
  expect(await release(server, id)).toMatchObject({ id, outcome: "applied", source: "http", actor: "anonymous" });
  expect((await plan(server)).changed).toBe(false);
  await server.logged(/"plan\.apply".*"succeeded"/);
  const { json } = await ask(server, "/api/runtime/audit?limit=1");
  expect(json.records).toMatchObject([{ action: "plan.apply", outcome: "succeeded", source: "http" }]);
  expect([...watching.texts, JSON.stringify(json)].join("\n")).not.toContain(CANARY);
});

longTest("a plan that is out of date is answered with the new plan, and nothing is changed", async () => {
  const server = await start();
  own.pm2Folder([app("api", { MODE: "2" }), app("web")]);
  const { id } = await plan(server);
  own.pm2Folder([app("api", { MODE: "3" }), app("web")]);
  const before = await ports.processes.list();
  const answer = await post(server, { environment: "dev", plan: id }, {}, APPLY);
  expect(answer).toMatchObject({ status: 409, json: { error: "Plan is out of date.", code: "PLAN_STALE" } });
  expect(planBody.parse(answer.json.plan)).toEqual(await plan(server));
  expect((await ports.processes.list()).map(({ pid }) => pid)).toEqual(before.map(({ pid }) => pid));
});

longTest("an empty plan is answered with 200 and without a release", async () => {
  const server = await start();
  const answer = await post(server, { environment: "dev", plan: (await plan(server)).id }, {}, APPLY);
  expect(answer).toMatchObject({ status: 200, json: { release: null } });
});

longTest.each([
  [APPLY, { environment: "dev" }, "plan"],
  [APPLY, { environment: "dev", plan: "1234-5678", timeoutMs: 1000 }, "timeoutMs"],
  [ROLLBACK, { plan: "1234-5678" }, "release"],
  [ROLLBACK, { release: "20200101-000000-abcd" }, "plan"],
])("POST %s with %j is refused and names the member", async (path, body, member) => {
  const answer = await post(await start(), body, {}, path);
  expect(answer.status).toBe(400);
  expect(answer.json.details).toContain(member);
});

longTest(
  "while an apply runs, its release is shown as running, and a second apply is refused over HTTP and on the command line",
  async () => {
    const server = await start();
    const watching = await listener(server);
    const id = await begin(server, [app("api", { MODE: "2", HELD: gate() }), app("web")]);
    await watching.step();
    expect(await release(server, id)).toMatchObject({
      outcome: "running",
      endedAt: null,
      steps: [{ app: "api", phase: "begun" }, { phase: "not-begun" }],
    });
    const second = await post(server, { environment: "dev", plan: "1234-5678" }, {}, APPLY);
    expect(second).toMatchObject({ status: 409, json: { code: "APPLY_LOCKED" } });
    expect(second.json.details).toContain(String(process.pid));
    const options = { root: own.folder, env: { PM2_HOME: own.home } };
    const third = await svcm(["apply", "--environment", "dev", "--yes", "--lock-timeout", "1s"], options);
    expect(third).toMatchObject({ code: 3, stderr: expect.stringContaining(String(process.pid)) });
    writeFileSync(gate(), "");
    expect((await watching.all()).at(-1)?.outcome).toBe("applied");
  },
);

longTest("an unknown release is answered with 404 and the accepted releases", async () => {
  const server = await start();
  const id = await begin(server, [app("api", { MODE: "4" }), app("web")]);
  const response = await ask(server, "/api/runtime/releases/29990101-000000-abcd");
  expect(response).toMatchObject({ status: 404, json: { code: "RELEASE_NOT_FOUND" } });
  expect(response.json.details).toContain(id);
  const undone = await post(server, { release: "29990101-000000-abcd", plan: "1234-5678" }, {}, ROLLBACK);
  expect([404, 409]).toContain(undone.status);
});

longTest(
  "a release that is no longer kept is 404 with RELEASE_GONE over HTTP and exit code 2 on the command line; nothing changes",
  async () => {
    const server = await start();
    const { root } = server.repository;
    writeFileSync(join(root, "deployments.yaml"), "rollout: { minHealthyTime: 100ms, keepReleases: 2 }");
    const ids: string[] = [];
    for (const MODE of ["5", "6", "7"]) {
      const watching = await listener(server);
      ids.push(await begin(server, [app("api", { MODE }), app("web")]));
      await watching.all();
    }
    const [gone = "", oldest, newest] = ids;
    const before = await ports.processes.list();
    const json = {
      code: "RELEASE_GONE",
      error: "Release not found.",
      details: `The release ${gone} is no longer kept: the oldest one is ${oldest}. Accepted: ${newest}, ${oldest}.`,
    };
    // Old releases are deleted after the last frame.
    await expect.poll(() => ask(server, `/api/runtime/releases/${gone}`)).toMatchObject({ status: 404, json });
    expect(await ask(server, `${ROLLBACK}?release=${gone}`)).toMatchObject({ status: 404, json });
    expect(await post(server, { release: gone, plan: "1234-5678" }, {}, ROLLBACK)).toMatchObject({ status: 404, json });
    const run = (...args: string[]) => svcm(args, { root, env: { PM2_HOME: own.home } });
    const refused = [
      await run("rollback", gone, "--yes"),
      await run("rollback", gone, "--dry-run"),
      await run("releases", "show", gone),
    ];
    for (const { code, stdout, stderr } of refused) {
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr.replaceAll(/\s+/g, " ")).toContain(`${json.details} Hint: Go back by Git`);
    }
    const inJson = await run("rollback", gone, "--yes", "--json");
    expect([inJson.code, JSON.parse(inJson.stdout)]).toEqual([2, expect.objectContaining(json)]);
    expect(await ports.processes.list()).toMatchObject(before.map(({ pid, pmId }) => ({ pid, pmId })));
  },
);

longTest("an apply needs the token, and the attempt without it is recorded", async () => {
  const token = "a-token-of-a-test-1234567890";
  const server = await start({ env: { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: token } });
  own.pm2Folder([app("api", { MODE: "2" }), app("web")]);
  const body = { environment: "dev", plan: (await plan(server)).id };
  expect((await post(server, body, {}, APPLY)).status).toBe(401);
  expect((await plan(server)).changed).toBe(true);
  const watching = await listener(server);
  const answer = await post(server, body, { authorization: `Bearer ${token}` }, APPLY);
  expect(answer.status).toBe(202);
  await watching.all();
  expect(await release(server, answer.json.release)).toMatchObject({ outcome: "applied", actor: "token" });
});

longTest("the process that serves the request has no step, and the plan says so", async () => {
  const api = (await ports.processes.list()).find(({ name }) => name === "api");
  const server = await start({ env: { pm_id: String(api?.pmId), name: "api" } });
  own.pm2Folder([app("api", { MODE: "2" }), app("web", { MODE: "2" })]);
  expect(await plan(server)).toMatchObject({
    steps: [{ app: "web" }, { do: "save" }],
    leftOut: [{ name: "api", pmIds: [api?.pmId] }],
    summary: { update: 1 },
  });
  const watching = await listener(server);
  await begin(server, [app("api", { MODE: "2" }), app("web", { MODE: "2" })]);
  expect((await watching.all()).at(-1)?.outcome).toBe("applied");
  expect((await ports.processes.list()).find(({ name }) => name === "api")?.pid).toBe(api?.pid);
});

longTest("the metrics count steps and outcomes, and name the newest release", async () => {
  const server = await start({ env: { NODE_ENV: "dev" } });
  const watching = await listener(server);
  const id = await begin(server, [app("api", { MODE: "2" }), app("web")]);
  await watching.all();
  own.pm2Folder([app("api", { MODE: "3" }), app("web", { MODE: "3" })]);
  const { text } = await ask(server, "/metrics");
  expect(text).toContain(
    `svcm_release_info{release="${id}",environment="dev",revision="",outcome="applied",undoes=""} 1`,
  );
  expect(text).toContain('svcm_apply_total{outcome="applied"} 1\n');
  expect(text).toContain('svcm_plan_steps{environment="dev"} 2\n');
});

longTest("svcm/client reports each step while a watch runs", async () => {
  const server = await start();
  const phases: string[] = [];
  let ended = (): void => undefined;
  const over = new Promise<void>((resolve) => (ended = resolve));
  const client = connect({
    url: server.url,
    WebSocket,
    onApply({ app: name, phase, outcome }) {
      phases.push(`${name} ${phase}`);
      if (outcome !== undefined) ended();
    },
  });
  onTestFinished(() => client.close());
  const frames = client.watch({ environment: "dev" })[Symbol.asyncIterator]();
  await frames.next();
  await begin(server, [app("api", { MODE: "2" }), app("web")]);
  await over;
  expect(phases).toEqual(["api begun", "api done", " begun", " done", " done"]);
});
