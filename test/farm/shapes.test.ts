/**
 * The team starts its project with PM2 alone. svcm then finds nothing to do, names each change of code or values,
 * applies it, and is at rest again; a job never runs because of it.
 */
import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { execute, nodePorts, rolloutApply, rolloutPlan, type Caller, type Ports } from "../../src/core/index.ts";
import { plainEnvironment } from "../support/command-line.ts";
import { GIT_ENVIRONMENT } from "../support/git.ts";
import { pm2, type Pm2 } from "../support/pm2-daemon.ts";
import { childrenOf } from "../support/proc.ts";
import { listRawProcesses } from "../support/raw-list.ts";
import { sampleOrAll } from "../support/runs.ts";
import { shapes, type Change, type Shape } from "./shapes.ts";

const PM2 = createRequire(import.meta.url).resolve("pm2/bin/pm2");
const run = promisify(execFile);
const caller: Caller = { source: "cli", actor: "tester", grants: ["read", "write"] };
const SAMPLE = "a service beside a job and a task";
const all = Object.entries(shapes);
const opened: Pm2[] = [];
afterAll(async () => {
  for (const own of opened) await own.end();
});

async function settledAnswer(project: Project, app: string): Promise<string> {
  await expect.poll(() => project.answers(app), { interval: 20 }).not.toContain(undefined);
  const [first = "", ...others] = (await project.answers(app)).map(String);
  expect(others.every((one) => one === first)).toBe(true);
  return first;
}

class Project {
  readonly own: Pm2;
  readonly top: string;
  readonly shape: Shape;

  constructor(shape: Shape) {
    this.shape = shape;
    this.own = pm2();
    opened.push(this.own);
    this.top = join(this.own.folder, "shop");
    mkdirSync(join(this.own.folder, "answers"), { recursive: true });
    this.change({ files: shape.files, ...(shape.links && { links: shape.links }) });
    this.git("init", "--quiet", "--initial-branch=main");
    this.commit();
  }

  get root(): string {
    return join(this.top, this.shape.folder ?? ".");
  }

  git(...args: string[]): void {
    execFileSync("git", args, {
      cwd: this.top,
      env: plainEnvironment(GIT_ENVIRONMENT),
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  commit(): void {
    this.git("add", "--all");
    this.git("commit", "--quiet", "--allow-empty", "--message", "change");
  }

  change({ files = {}, links = {}, removed = [], commit = false }: Change): void {
    for (const path of removed) rmSync(join(this.top, path));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.top, path)), { recursive: true });
      writeFileSync(join(this.top, path), text);
    }
    for (const [path, target] of Object.entries(links)) {
      const next = join(this.top, `${path}.next`);
      mkdirSync(dirname(next), { recursive: true });
      rmSync(next, { force: true });
      symlinkSync(target, next);
      renameSync(next, join(this.top, path));
    }
    if (commit) this.commit();
  }

  /** In the root, because paths of the file are relative to it. */
  async startAsTheTeam(): Promise<void> {
    const env = { PATH: process.env["PATH"] ?? "", HOME: this.own.folder, PM2_HOME: this.own.home };
    await run(process.execPath, [PM2, "start", "ecosystem.config.js"], { cwd: this.root, env });
  }

  /** The answers of the running processes of an app. */
  async answers(app: string): Promise<(string | undefined)[]> {
    const list = (await listRawProcesses(this.own.home)).filter(({ name }) => name === app);
    return list.map(({ pid }) => {
      const path = treeOf(pid)
        .map((one) => join(this.own.folder, "answers", `${app}-${one}`))
        .find((one) => existsSync(one));
      return path === undefined ? undefined : readFileSync(path, "utf8");
    });
  }

  runs(app: string): number {
    const path = join(this.own.folder, `answers/runs-${app}`);
    return existsSync(path) ? readFileSync(path, "utf8").split("\n").length - 1 : 0;
  }

  ports(): Ports {
    const env = { PATH: process.env["PATH"] ?? "", HOME: this.own.folder, PM2_HOME: this.own.home };
    return nodePorts({ root: this.root, env, cwd: this.root });
  }
}

function rounds(changes: Readonly<Record<string, Change>>, isDoubt: boolean) {
  return Object.entries(changes).map(([title, change]) => ({ title, change, isDoubt }));
}

const request = { environment: "production" };

/** The plan names the app of the change, and after the apply it answers something else. */
async function playRound(
  project: Project,
  ports: Ports,
  { title, change, isDoubt }: ReturnType<typeof rounds>[number],
): Promise<void> {
  const { app = "" } = change;
  const before = await settledAnswer(project, app);
  project.change(change);
  const { steps, unknown } = await execute(rolloutPlan, ports, request, caller);
  const touched = steps.filter((step) => step.do !== "save").map((step) => step.app);
  expect({ title, touched }).toEqual({ title, touched: isDoubt ? [] : [app] });
  if (isDoubt) expect({ title, apps: unknown.map((one) => one.app) }).toEqual({ title, apps: [app] });
  const choice = isDoubt ? { restart: [app] } : {};
  await execute(rolloutApply, ports, { ...request, ...choice, allowDirty: true, minHealthyMs: 200 }, caller);
  expect(await settledAnswer(project, app), title).not.toBe(before);
}

const treeOf = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(treeOf)];

describe.each(
  sampleOrAll(
    all,
    all.filter(([name]) => name === SAMPLE),
  ),
)("%s", (_name, shape) => {
  test("svcm names each change, applies it and is at rest", async () => {
    const project = new Project(shape);
    const { services, jobs = [], changes, doubts = {}, harmless = {} } = shape;
    await project.own.startDaemon();
    await project.startAsTheTeam();
    for (const app of services) await settledAnswer(project, app);
    for (const app of jobs) await expect.poll(() => project.runs(app), { interval: 20 }).toBe(1);
    for (const app of jobs)
      await expect
        .poll(
          async () => (await listRawProcesses(project.own.home)).find(({ name }) => name === app)?.pm2_env["status"],
        )
        .toBe("stopped");
    const ports = project.ports();
    const plan = () => execute(rolloutPlan, ports, request, caller);
    const expectRest = async (when: string): Promise<void> => {
      const { steps, unknown, unchanged } = await plan();
      expect({ when, steps: steps.filter((step) => step.do !== "save"), unknown }).toEqual({
        when,
        steps: [],
        unknown: [],
      });
      expect(unchanged).toEqual(expect.arrayContaining([...services, ...jobs]));
    };
    await expectRest("after the team's start");
    for (const [title, change] of Object.entries(harmless)) {
      project.change(change);
      await expectRest(`harmless: ${title}`);
    }
    for (const { title, change, isDoubt } of [...rounds(changes, false), ...rounds(doubts, true)]) {
      await playRound(project, ports, { title, change, isDoubt });
      await expectRest(`after the apply of: ${title}`);
    }
    for (const app of jobs) expect(project.runs(app), `runs of ${app}`).toBe(1);
    await ports.processes.close();
  });
});
