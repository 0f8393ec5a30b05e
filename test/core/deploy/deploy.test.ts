/** A deploy from the named commit to its end: what its journal has, where `current` leads, and what is said. */
import { describe, expect, test } from "vitest";
import type { Caller } from "../../../src/core/access/operation.ts";
import { SvcmError } from "../../../src/core/api/errors.ts";
import { layoutOf } from "../../../src/core/deploy/layout.ts";
import { deployPlan, deployRun, findDeploy } from "../../../src/core/deploy/operations/deploy.ts";
import { toDeployRecord, type DeployEvent } from "../../../src/core/deploy/record.ts";
import { loaded, type Fields } from "../rollout/loaded.ts";
import { failTimes, playRollout } from "../rollout/played-rollout.ts";

const caller: Caller = { source: "cli", actor: "amy", grants: ["read", "write", "logs"] };
const AT = "2026-11-27T08:05:01.000Z";
const commitOf = (letter: string): string => letter.repeat(40);
const idOf = (letter: string): string => `2026112708050${letter === "a" ? 1 : 2}-${letter.repeat(7)}`;
const [A, B] = [idOf("a"), idOf("b")];

const SERVICES = { web: "api", jobs: "worker" } as const;

/** Each service has a file with one app. */
function declareServices({ ports }: ReturnType<typeof playRollout>, appOf: (name: string) => Fields): void {
  const service = (name: string) => {
    const dev = [{ file: `${name}.config.cjs`, cwd: undefined, env: undefined, only: undefined }];
    return { folder: ".", ecosystem: { dev }, env: {}, code: { include: [], exclude: [] } };
  };
  const services = Object.fromEntries(Object.keys(SERVICES).map((name) => [name, service(name)]));
  const project = { environments: { dev: { aliases: [] } }, defaultEnvironment: "dev", undecided: [], services };
  const load = async (path: string) => loaded([appOf(path.includes("/web.") ? SERVICES.web : SERVICES.jobs)]);
  const facts = { ...ports.facts, project: async () => project };
  Object.assign(ports, { facts, ecosystems: { ...ports.ecosystems, load } });
}

/** Prepared releases of one app, or of one app for each service. */
function play(hasServices = false) {
  const rollout = playRollout();
  let release = "";
  const appOf = (name: string): Fields => {
    const folder = `/d/releases/${release}`;
    return { name, script: `${folder}/${name}.js`, cwd: folder };
  };
  if (hasServices) declareServices(rollout, appOf);
  const journals = new Map<string, DeployEvent[]>();
  const prepare = (letter: string): void => {
    const place = { environment: "dev", spellings: ["dev"], checkout: "/srv", prefix: "" };
    const what = { commit: commitOf(letter), subject: `commit ${letter}`, revision: "main", source: "origin" };
    journals.set(idOf(letter), [
      { event: "begin", id: idOf(letter), ...what, ...place, by: { source: "cli", actor: "amy" }, at: AT },
      { event: "prepared", at: AT, bytes: 1, files: 1 },
    ]);
  };
  const state: { current: string | null; wanted: string; switchFails?: boolean; kept: string[]; calls: string[] } = {
    current: null,
    wanted: "a",
    kept: [],
    calls: [],
  };
  const root = {
    layout: layoutOf("/d"),
    realPath: (path: string) => path,
    exists: async () => true,
    withLock: async (_ms: number, work: () => Promise<unknown>) => await work(),
    claim: async () => undefined,
    removeLeftovers: async () => undefined,
    records: async () => [...journals.values()].toReversed().flatMap((events) => toDeployRecord(events) ?? []),
    append: async (id: string, event: DeployEvent) => void journals.get(id)?.push(event),
    current: async () => state.current,
    foreign: async () => null,
    changedFiles: async () => [],
    createFolder: async () => undefined,
    switchTo: async (id: string | null) => {
      if (state.switchFails) throw new SvcmError("DEPLOY_IMPOSSIBLE", { details: "no space" });
      state.current = id;
    },
    inUse: async () => new Map(),
    writtenSince: async () => [],
    remove: async (id: string) => void state.calls.push(`remove ${id}`),
  };
  const git = {
    keep: async (commits: ReadonlyMap<string, string>) => void (state.kept = [...commits.keys()]),
    listBetween: async (from: string, to: string) => [`${from[0]}..${to[0]}`],
    readCommit: async () => ({ subject: `commit ${state.wanted}`, submodules: [], lfsCandidates: [] }),
    listOthers: async () => [],
  };
  const code = async () => {
    const found = { commit: commitOf(state.wanted), revision: "main", source: "origin" };
    return { found, git, checkout: { top: "/srv", prefix: "" } };
  };
  const paths = (id: string) => ({ from: [], release: `/d/releases/${id}`, shared: "/d/shared" });
  const deploys = {
    open: () => root,
    releaseFile: code,
    requireOwner: () => undefined,
    callerVariables: () => ({}),
    world: ({ id }: { readonly id: string }) => {
      release = id;
      rollout.declare(
        Object.values(SERVICES)
          .slice(0, hasServices ? 2 : 1)
          .map(appOf),
      );
      return { ...rollout.ports, programFolders: ["/srv"], paths: paths(id) };
    },
  };
  const ports = { ...rollout.ports, deploys: async () => deploys, deployed: { defaultRoot: () => "/d" } } as never;
  const want = (letter: string): void => {
    state.wanted = letter;
    if (!journals.has(idOf(letter))) prepare(letter);
  };
  const run = async (letter: string, more: object = {}, by: Partial<Caller> = {}) => {
    want(letter);
    rollout.pm2.calls.length = 0;
    rollout.audits.length = 0;
    const input = { environment: "dev", from: "shop.tgz", ...more };
    const answer = await deployRun.run(ports, input, { ...caller, ...by }).catch((error: unknown) => error);
    return answer as Awaited<ReturnType<typeof deployRun.run>> & Partial<SvcmError>;
  };
  const events = (id: string): string[] => (journals.get(id) ?? []).slice(2).map((one) => one.event);
  const end = (id: string) => journals.get(id)?.findLast((one) => one.event === "end");
  return { rollout, journals, ports, run, want, prepare, state, events, end, calls: rollout.pm2.calls };
}

describe("a deploy", () => {
  test("starts the app from its release, and moves current after that", async () => {
    const { run, events, end, state, calls, rollout } = play();
    const { deploy, release, pruned } = await run("a", { message: "first" });
    expect(calls).toEqual(["start app api", "save"]);
    expect(events(A)).toEqual(["apply", "release", "switch", "end"]);
    expect([state.current, end(A)]).toMatchObject([A, { outcome: "done" }]);
    expect([deploy.reason, deploy.digest, deploy.actor]).toEqual([undefined, undefined, "amy"]);
    expect(Object.keys(deploy)).not.toContain("reason");
    expect(deploy).toMatchObject({ id: A, commit: commitOf("a"), state: "done", current: true, release: release?.id });
    expect([release, pruned]).toMatchObject([{ message: "first", deploy: { id: A, former: null } }, []]);
    expect(state.kept).toEqual([A]);
    expect(rollout.audits.at(-1)).toMatchObject({
      action: "deploy.run",
      environment: "dev",
      target: `commit aaaaaaa as ${A}`,
      outcome: "succeeded",
    });
  });

  test("of what runs already writes nothing, and another one goes on from it", async () => {
    const { run, events, calls, rollout } = play();
    await run("a");
    const again = await run("a");
    expect([again.release, again.deploy.current, calls, rollout.audits]).toEqual([null, true, [], []]);
    expect(events(A)).toHaveLength(4);
    const next = await run("b");
    expect([next.release?.message, next.release?.deploy?.former]).toEqual(["commit b", A]);
    expect(calls).toEqual(["restart 0", "save"]);
    const back = await run("a");
    expect([back.deploy.current, events(A).slice(4)]).toEqual([true, ["apply", "release", "switch", "end"]]);
  });

  test("removes a release that was prepared and never ran", async () => {
    const { run, prepare, state } = play();
    prepare("b");
    expect([(await run("a")).pruned, state.calls, state.kept]).toEqual([[B], [`remove ${B}`], [A]]);
  });

  test("is repeated if an app no longer runs as it left it", async () => {
    const { run, events, calls, rollout } = play();
    await run("a");
    rollout.pm2.change(0, { script: "/elsewhere.js" });
    expect([(await run("a")).deploy.state, calls]).toEqual(["done", ["restart 0", "save"]]);
    expect(events(A).slice(4)).toEqual(["apply", "release", "end"]);
  });

  test("of one service leaves current until the last one runs the release", async () => {
    const { run, state, calls } = play(true);
    const first = await run("a", { service: "web" });
    expect([first.deploy.current, state.current, calls]).toEqual([false, null, ["start app api", "save"]]);
    expect(first.notes).toEqual([
      "current stays at nothing until all services run aaaaaaa. Until then, svcm plan and svcm apply compare with the checkout, and not with aaaaaaa.",
    ]);
    const second = await run("a", { service: "jobs" });
    expect([second.deploy.current, state.current, second.notes]).toEqual([true, A, []]);
    const third = await run("b", { service: "jobs" });
    expect([third.deploy.current, state.current, calls]).toEqual([false, A, ["restart 1", "save"]]);
    expect(third.notes[0]).toMatch(new RegExp(`^current stays at ${A} until .* compare with ${A}, and not`));
    expect((await run("b", { service: "web" })).deploy.current).toBe(true);
  });

  test("of one service whose sibling cannot be read is done, and leaves current", async () => {
    const { run, state, rollout } = play(true);
    const { ecosystems } = rollout.ports;
    const lack = new SvcmError("ECOSYSTEM_FILE_FAILED", { code: "ENOENT", details: "Cannot open jobs.config.cjs." });
    const load: (typeof ecosystems)["load"] = async (path, ...more) => {
      if (path.includes("/jobs.")) throw lack;
      return await ecosystems.load(path, ...more);
    };
    Object.assign(rollout.ports, { ecosystems: { ...ecosystems, load } });
    const { deploy, notes } = await run("a", { service: "web" });
    expect([deploy.state, deploy.current, state.current]).toEqual(["done", false, null]);
    expect(notes).toEqual([
      "The ecosystem file of another service cannot be read: Cannot open jobs.config.cjs.",
      expect.stringContaining("current stays at nothing until all services run aaaaaaa."),
    ]);
  });

  test("that fails leaves current, and its advice is that of a deploy", async () => {
    const { run, events, end, state, rollout } = play();
    await run("a");
    rollout.play.on = failTimes(["restart 0"]);
    const { kind, body } = await run("b");
    expect(kind).toBe("APPLY_REVERTED");
    expect(body?.hint).toMatch(/run svcm deploy again/);
    expect([state.current, events(B)]).toEqual([A, ["apply", "release", "end"]]);
    expect(end(B)).toMatchObject({ outcome: "reverted", reason: expect.stringMatching(/^api: PM2 accepted .*\.$/) });
    const refused = await run("b", { retry: false });
    expect([refused.kind, refused.body?.code, rollout.audits]).toEqual(["DEPLOY_REFUSED", "DEPLOY_TRIED", []]);
  });

  test("whose plan is refused has touched nothing", async () => {
    const { run, events, end } = play();
    const { kind } = await run("a", { plan: "7f3a-9c21" });
    expect([kind, events(A), end(A)]).toMatchObject(["PLAN_STALE", ["apply", "end"], { outcome: "failed" }]);
  });

  test.each([
    ["before its apply is the machine's, and touched nothing", "withLock", "DEPLOY_IMPOSSIBLE"],
    ["in its apply is that of the apply", "copyEnvFiles", "PM2_FAILED"],
  ])("that PM2 fails %s", async (_when, port, kind) => {
    const { run, end, rollout, journals } = play();
    const failed = new SvcmError("PM2_FAILED", { code: "PM2_HOME_UNUSABLE", details: "no space" });
    Object.assign(rollout.ports.releases, { [port]: () => Promise.reject(failed) });
    const answer = await run("a");
    expect([answer.kind, answer.body?.details?.endsWith("Nothing that runs was touched.")]).toEqual([
      kind,
      port === "withLock",
    ]);
    expect(end(A)).toMatchObject({ outcome: "failed", reason: "no space", at: "1970-01-01T00:00:10.000Z" });
    expect(journals.get(A)?.[2]).toEqual({ event: "apply", at: "1970-01-01T00:00:10.000Z" });
  });

  test("is half done if current cannot be moved", async () => {
    const { run, state, end } = play();
    state.switchFails = true;
    const { kind, body } = await run("a");
    expect([kind, body?.details]).toEqual([
      "APPLY_HALF",
      "The apps run aaaaaaa, but current was not switched: no space",
    ]);
    expect([body?.hint, end(A)]).toMatchObject(["Correct that, then: svcm deploy aaaaaaaaaa", { outcome: "half" }]);
  });

  test("that is stopped in time is not begun", async () => {
    const { run, events, calls, rollout } = play();
    const { body } = await run("a", {}, { signal: AbortSignal.abort() });
    expect([body?.code, events(A), calls]).toEqual(["DEPLOY_STOPPED", [], []]);
    expect(rollout.audits).toMatchObject([{ outcome: "refused", target: "commit aaaaaaa" }]);
  });

  test("passes on a defect of svcm as it is", async () => {
    const { run, rollout } = play();
    rollout.play.on = () => new TypeError("defect");
    expect(await run("a")).toMatchObject({ message: "defect" });
  });
});

test("a plan of a deploy names both commits and what is between them, and changes nothing", async () => {
  const { ports, run, want, state, events, calls } = play();
  want("a");
  const plan = () => deployPlan.run(ports, { environment: "dev", from: "shop.tgz" }, caller);
  expect(await plan()).toMatchObject({ id: A, from: null, commits: null, folder: `/d/releases/${A}` });
  await run("a");
  want("b");
  calls.length = 0;
  const next = await plan();
  expect(next).toMatchObject({ id: B, commit: commitOf("b"), subject: "commit b", from: commitOf("a") });
  expect([next.commits, next.plan.changed]).toEqual([{ added: ["a..b"], removed: ["b..a"] }, true]);
  expect([calls, events(B), state.current]).toEqual([[], [], A]);
});

test("a commit is named with the one that runs", async () => {
  const { ports, run, want } = play();
  await run("a");
  want("b");
  const found = await findDeploy(ports, { environment: "dev", from: "shop.tgz" }, caller);
  expect(found).toMatchObject({
    commit: commitOf("b"),
    subject: "commit b",
    environment: "dev",
    former: commitOf("a"),
  });
});
