/** A deploy whose terminal or reader goes away: before its release is prepared it ends in order, and later it goes through. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import {
  deployRun,
  execute,
  releaseList,
  rolloutApply,
  rolloutPlan,
  rolloutRollback,
  SvcmError,
} from "../../src/core/index.ts";
import { fileLocks } from "../../src/core/files/lock.ts";
import type { ReleaseEvent } from "../../src/core/rollout/release.ts";
import { waitForFile } from "../support/appeared.ts";
import { plainEnvironment, RUN } from "../support/command-line.ts";
import { GIT_ENVIRONMENT } from "../support/git.ts";
import { longTest } from "../support/runs.ts";
import { caller, shopUnderPm2 } from "./deployed-shop.ts";

const shop = shopUnderPm2();
const read = (name: string): string => readFileSync(join(shop.checkout, name), "utf8");
const files: Record<string, string> = {};

beforeAll(() => {
  for (const name of ["app.cjs", "build.cjs"]) files[name] = read(name);
});

/** As a terminal or a pipe would start it. */
function deployAlone(): { readonly child: ChildProcess; readonly ended: Promise<readonly [number | null, string]> } {
  const { home, folder } = shop.own;
  const child = spawn(process.execPath, [RUN, "deploy", "--environment", "production", "--yes"], {
    cwd: shop.checkout,
    env: plainEnvironment({ HOME: folder, PM2_HOME: home, ...GIT_ENVIRONMENT }),
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  child.stderr.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return { child, ended: once(child, "exit").then(([code]) => [code as number | null, text] as const) };
}

const marking = (marker: string): string =>
  `require("node:fs").writeFileSync(${JSON.stringify(marker)}, String(process.pid));`;

/** An ended program may wait for its parent to ask for its exit code. */
function runs(pid: number): boolean {
  if (!existsSync(`/proc/${pid}/stat`)) return false;
  return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
}

/** Without an answer before the first deploy. */
async function now(): Promise<unknown> {
  const answer = await shop.answer().catch(() => undefined);
  return [shop.current(), existsSync(join(shop.root, "releases")) ? shop.releases() : [], answer];
}

async function expectAsBefore(before: unknown, marker: string): Promise<void> {
  expect(await now()).toEqual(before);
  expect(runs(Number(readFileSync(marker, "utf8")))).toBe(false);
  const { issues } = await execute(rolloutPlan, shop.ports, { environment: "production" }, caller);
  expect(issues.filter(({ code }) => code.startsWith("DEPLOY_"))).toEqual([]);
}

async function interruptedBuild(marker: string, interrupt: (child: ChildProcess) => void) {
  const before = await now();
  const build = `${marking(marker)} setInterval(() => console.log("compiling"), 100);`;
  shop.publish({ ...files, "build.cjs": build, VERSION: "slow" });
  const { child, ended } = deployAlone();
  await waitForFile(marker);
  interrupt(child);
  const [code, text] = await ended;
  expect(code, text).toBe(1);
  await expectAsBefore(before, marker);
  return text;
}

longTest("a terminal that goes away during the build ends the first deploy in order", async () => {
  const text = await interruptedBuild(join(shop.own.folder, "hung-up"), (child) => child.kill("SIGHUP"));
  expect(text).toMatch(/The build \(npm run build\) was stopped\.[^]*Nothing that runs was touched\./);
});

longTest("a reader that goes away during the build ends a further deploy in order", async () => {
  shop.publish(files);
  await shop.deploy();
  await interruptedBuild(join(shop.own.folder, "closed"), (child) => child.stderr!.destroy());
});

longTest.each<[string, (child: ChildProcess) => void]>([
  ["a terminal", (child) => child.kill("SIGHUP")],
  ["a reader", (child) => child.stderr!.destroy()],
])("%s that goes away during the apply ends nothing", async (what, interrupt) => {
  const marker = join(shop.own.folder, what.replace(" ", "-"));
  shop.publish({ ...files, "app.cjs": `${marking(marker)}\n${files["app.cjs"]}`, VERSION: what });
  const { child, ended } = deployAlone();
  await waitForFile(marker);
  interrupt(child);
  const [code, text] = await ended;
  expect(code, text).toBe(0);
  expect([await shop.answer(), shop.current()?.slice(-7)]).toEqual([what, shop.git("rev-parse", "HEAD").slice(0, 7)]);
});

/** As Ctrl-C at that moment. */
async function stopped(work: (caller: { readonly signal: AbortSignal }) => Promise<unknown>, signal: AbortSignal) {
  const error = await work({ signal }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof SvcmError)) throw new Error("it was not refused");
  return error;
}

const production = { environment: "production" };

test("a source that does not answer is left at Ctrl-C, and is not called unreachable", async () => {
  const stop = new AbortController();
  const mute = createServer(() => stop.abort()).listen(0, "127.0.0.1");
  onTestFinished(() => void mute.close());
  await once(mute, "listening");
  const { port } = mute.address() as AddressInfo;
  const former = shop.git("remote", "get-url", "origin").trim();
  shop.git("remote", "set-url", "origin", `git://127.0.0.1:${port}/shop.git`);
  const before = await now();
  const error = await stopped((one) => execute(deployRun, shop.ports, production, { ...caller, ...one }), stop.signal);
  shop.git("remote", "set-url", "origin", former);
  expect([error.body.code, error.message]).toEqual([
    "DEPLOY_STOPPED",
    `It was stopped while git asked git://127.0.0.1:${port}/shop.git.`,
  ]);
  expect(await now()).toEqual(before);
});

longTest(
  "Ctrl-C ends the wait for another deploy or apply, and a rollback that has not begun changes nothing",
  async () => {
    shop.publish({ ...files, VERSION: "1" });
    await shop.deploy();
    shop.publish({ VERSION: "2" });
    await shop.deploy();
    const { signal } = { signal: AbortSignal.abort() };
    const before = await now();
    const list = async () => (await execute(releaseList, shop.ports, {}, caller)).releases;
    const releases = await list();
    const inOther = async (target: string, kind: string) => {
      const works = [
        (one: object) => execute(rolloutRollback, shop.ports, {}, { ...caller, ...one }),
        (one: object) =>
          kind === "DEPLOY_LOCKED"
            ? execute(deployRun, shop.ports, production, { ...caller, ...one })
            : execute(rolloutApply, shop.ports, production, { ...caller, ...one }),
      ];
      await fileLocks().withLock({ target, path: target }, async () => {
        for (const work of works) {
          const { kind: seen, message } = await stopped(work, signal);
          expect([seen, message]).toEqual([kind, expect.stringMatching(/ runs: Cannot lock .*[^.]\.$/)]);
        }
      });
    };
    await inOther(join(shop.root, "deploy"), "DEPLOY_LOCKED");
    await inOther(join(shop.own.home, "svcm/apply"), "APPLY_LOCKED");
    expect(await list()).toEqual(releases);

    const error = await stopped((one) => execute(rolloutRollback, shop.ports, {}, { ...caller, ...one }), signal);
    expect([error.kind, error.message, error.body.hint]).toEqual([
      "APPLY_REVERTED",
      "It was interrupted before its first step. No process was changed.",
      `To continue: svcm rollback ${releases[0]?.id}`,
    ]);
    expect((await list())[0]).toMatchObject({ outcome: "refused", undoes: releases[0]?.id });
    expect(await now()).toEqual(before);
  },
);

longTest("a deploy that was killed after its last step is said to run, and an apply since then decides", async () => {
  shop.publish({ ...files, VERSION: "before" });
  const { deploy: former } = await shop.deploy();
  shop.publish({ VERSION: "after" });
  const { releases } = shop.ports;
  const append = async (id: string, event: ReleaseEvent): Promise<void> => {
    if (event.event === "left") throw new Error("killed");
    await releases.append(id, event);
  };
  const world = Object.create(shop.ports, { releases: { value: { ...releases, append } } }) as typeof shop.ports;
  await expect(execute(deployRun, world, production, caller)).rejects.toThrow("killed");
  expect([await shop.answer(), shop.current()]).toEqual(["after", former.id]);
  const listed = await execute(releaseList, shop.ports, {}, caller);
  expect(listed.releases[0]).toMatchObject({ outcome: "applied", unknown: [{ app: "web", part: "state" }] });
  const cutOff = async () =>
    (await execute(rolloutPlan, shop.ports, production, caller)).issues.filter(({ code }) =>
      code.startsWith("DEPLOY_"),
    );
  expect((await cutOff())[0]?.message).toMatch(
    `was interrupted after its last step: its apps run it, and current leads to ${former.id}, with which`,
  );

  await execute(rolloutApply, shop.ports, production, caller);
  expect([await shop.answer(), await cutOff()]).toEqual(["before", []]);
  shop.publish({ VERSION: "unbuildable" });
  expect((await shop.refused()).body.code).toBe("DEPLOY_COMMAND_FAILED");
  expect([await shop.answer(), shop.current(), await cutOff()]).toEqual(["before", former.id, []]);
});
