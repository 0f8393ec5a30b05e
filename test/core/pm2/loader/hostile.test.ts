/** Hostile ecosystem files and the built server: each is refused, and no process or file remains. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { serve } from "../../../support/svcm.ts";
import { makeWorkspace, type TestWorkspace } from "../../../support/workspace.ts";
import { CANARY, hostileFiles } from "./hostile-files.ts";
import { everyThirdOrAll, longTest, sampleOrAll } from "../../../support/runs.ts";

const PATH = "/api/runtime/pm2-ecosystem";
const GOOD = 'module.exports = { apps: [{ name: "a", script: "a.js" }] };';

interface Answer {
  readonly status: number;
  readonly text: string;
}

async function read(url: string, environment = "dev"): Promise<Answer> {
  const response = await fetch(`${url}${PATH}?environment=${environment}`);
  return { status: response.status, text: await response.text() };
}

function put(workspace: TestWorkspace, text: string, ending = "cjs"): string {
  const folder = workspace.path("pm2");
  rmSync(folder, { recursive: true, force: true });
  const file = `pm2/ecosystem.dev.config.${ending}`;
  workspace.write(file, text);
  return workspace.path(file);
}

const childrenOf = (pid: number): string => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

function processesAbout(text: string): string[] {
  return readdirSync("/proc").filter((entry) => {
    if (!/^\d+$/.test(entry)) return false;
    try {
      return readFileSync(`/proc/${entry}/cmdline`, "utf8").includes(text) && Number(entry) !== process.pid;
    } catch {
      return false;
    }
  });
}

longTest("each hostile ecosystem file is refused with svcm's message, and the server keeps running", async () => {
  const workspace = makeWorkspace();
  const server = await serve({
    root: workspace.root,
    env: { SOME_TOKEN: CANARY, SVC_SERVICE_MANAGEMENT_LOG_LEVEL: "trace" },
  });
  put(workspace, GOOD);
  expect((await read(server.url)).status).toBe(200);
  const before = descriptorsOf(server.pid);
  const answers: string[] = [];

  const [seen, wanted]: [object[], object[]] = [[], []];
  for (const { what, text, code, ending, at } of everyThirdOrAll(hostileFiles)) {
    const path = put(workspace, text, ending);
    const answer = await read(server.url);
    answers.push(answer.text);
    seen.push({ what, status: answer.status, ...(JSON.parse(answer.text) as object) });
    const details = expect.stringContaining(at ? `${path}:${at}: ` : path);
    wanted.push({ what, status: 500, error: "PM2 ecosystem file operation failed.", code, path, details });
  }
  expect(seen).toEqual(wanted);

  put(workspace, GOOD);
  expect((await read(server.url)).status).toBe(200);
  await expect.poll(() => childrenOf(server.pid)).toBe("");
  await expect.poll(() => processesAbout(workspace.root)).toEqual([]);
  await expect.poll(() => descriptorsOf(server.pid)).toBeLessThanOrEqual(before + 1);
  expect(answers.join("\n") + server.log()).not.toContain(CANARY);
  expect(await server.stop()).toBe(0);
});

test("processes that a file starts end with the loader", async () => {
  const workspace = makeWorkspace();
  const server = await serve({ root: workspace.root });
  const marker = join(workspace.root, "grandchild.js");
  writeFileSync(marker, "setInterval(() => {}, 1000);");
  const start = (options: string): string =>
    `require("child_process").spawn(process.execPath, [${JSON.stringify(marker)}], ${options}).unref();`;
  const ends = [GOOD, "throw new Error();", "for (;;);"];
  for (const end of sampleOrAll(ends, ends.slice(0, 2))) {
    put(workspace, start("{ stdio: 'ignore' }") + start("{ stdio: 'ignore', detached: true }") + end);
    expect((await read(server.url)).status).toBe(end === GOOD ? 200 : 500);
    await expect.poll(() => processesAbout(marker)).toEqual([]);
  }
});

longTest("a file has no access to svcm's secrets and options", async () => {
  const workspace = makeWorkspace();
  const env = {
    SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: `token-${CANARY}`,
    SVC_SERVICE_MANAGEMENT_LOG_LEVEL: "info",
    NODE_OPTIONS: "--no-deprecation",
    DATABASE_PASSWORD: `password-${CANARY}`,
    CACHE_URL: `redis://user:url-${CANARY}@127.0.0.1`,
    REPEATED: `--x=password-${CANARY}`,
    NODE_ENV: "dev",
    ORDINARY: "seen",
  };
  const server = await serve({ root: workspace.root, env });
  put(workspace, 'module.exports = { apps: [{ name: "a", script: "a.js", env: process.env }] };');
  const answer = await read(server.url);
  const [app] = (JSON.parse(answer.text) as { apps: { env: Record<string, string> }[] }).apps;
  expect(app?.env).toMatchObject({ ORDINARY: "seen", NODE_ENV: "dev" });
  expect(
    Object.keys(env)
      .filter((name) => name in (app?.env ?? {}))
      .toSorted(),
  ).toEqual(["NODE_ENV", "ORDINARY"]);
  expect(answer.text).not.toContain(CANARY);
});

test("an unreadable file is answered with 500, and a missing file is not an error", async () => {
  const workspace = makeWorkspace();
  const server = await serve({ root: workspace.root });
  const absent = await read(server.url);
  expect(absent).toMatchObject({ status: 200 });
  expect(JSON.parse(absent.text)).toEqual({
    environment: "dev",
    fileName: "ecosystem.dev.config.cjs",
    path: workspace.path("pm2/ecosystem.dev.config.cjs"),
    exists: false,
    apps: [],
  });
  workspace.write("pm2/ecosystem.dev.config.cjs/inside", "");
  const folder = await read(server.url);
  expect(folder.status).toBe(500);
  expect(JSON.parse(folder.text)).toMatchObject({
    code: "EISDIR",
    path: workspace.path("pm2/ecosystem.dev.config.cjs"),
  });
});
