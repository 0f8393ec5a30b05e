/** Five releases of three services, two of them bad, with the commands of the docs. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { GIT_ENVIRONMENT } from "../support/git.ts";
import { plainEnvironment } from "../support/command-line.ts";
import { freePort } from "../support/free-port.ts";
import { pm2, type Pm2 } from "../support/pm2-daemon.ts";
import { svcm, type RunResult } from "../support/svcm.ts";

let own: Pm2;
const ports = new Map<string, number>();

const GOOD = (count: number): string => `
require("node:http").createServer((request, response) => {
  response.end(JSON.stringify({ release: ${count}, pid: process.pid }));
}).listen(Number(process.env.SVC_HTTP_PORT), "127.0.0.1");`;
const CRASHES = 'throw new Error("cannot reach db");';
const ANSWERS_500 = `
require("node:http").createServer((_, response) => response.writeHead(500).end())
  .listen(Number(process.env.SVC_HTTP_PORT), "127.0.0.1");`;
const NAMES = ["shop-restapi", "orders-restapi", "users-restapi"];

beforeAll(async () => {
  own = pm2();
  await own.startDaemon();
  for (const name of NAMES) ports.set(name, await freePort());
  writeFileSync(join(own.folder, ".gitignore"), "home\n");
  git("init", "-q");
});
afterAll(() => own.end());

const git = (...args: string[]): void =>
  void execFileSync("git", args, { cwd: own.folder, env: plainEnvironment(GIT_ENVIRONMENT) });

const PAGE = "docs/how-to/pm2.md";
const lines = readFileSync(join(import.meta.dirname, "../..", PAGE), "utf8").split("\n");
const onPage = new Set(lines.map((line) => line.split(" #")[0]?.trimEnd()));

/** Runs a command of the page with additional flags, such as `--yes`, because there is no terminal. */
function run(line: string, ...more: string[]): Promise<RunResult> {
  if (!onPage.has(line)) throw new Error(`${PAGE} has no command ${line}`);
  const [, ...words] = line.replace("7f3a-9c21", planned).split(" ");
  return svcm([...words, ...more], { root: own.folder, env: { PM2_HOME: own.home, COLUMNS: "80" } });
}

let planned = "";

/** Commits a release. Each app has its code in the folder of the release. */
function release(count: number, codes: Readonly<Record<string, string>> = {}): void {
  const folder = `releases/${count}`;
  mkdirSync(join(own.folder, folder), { recursive: true });
  const apps = NAMES.map((name, index) => {
    writeFileSync(join(own.folder, folder, `${name}.cjs`), codes[name] ?? GOOD(count));
    const mode = index === 0 ? { exec_mode: "cluster", instances: 2 } : {};
    const env = { SVC_HTTP_PORT: String(ports.get(name)) };
    return { name, script: `${folder}/${name}.cjs`, ...mode, env };
  });
  own.pm2Folder(apps, "production");
  git("add", "-A");
  git("commit", "-qm", `Release ${count}`);
}

/** The release that each service reports. */
const served = (): Promise<number[]> =>
  Promise.all(
    NAMES.map(
      (name) =>
        new Promise<number>((resolve, reject) => {
          get({ host: "127.0.0.1", port: ports.get(name), agent: false }, (response) => {
            let text = "";
            response.on("data", (chunk: Buffer) => (text += chunk.toString()));
            response.once("end", () => resolve((JSON.parse(text) as { release: number }).release));
          }).once("error", reject);
        }),
    ),
  );

const apply = (): Promise<RunResult> => run("svcm apply --environment production", "--yes");

test("good releases serve, bad ones are reverted or refused, and a rollback returns to the previous release", async () => {
  release(1);
  expect(await apply()).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("start shop-restapi (id 0, 1): done"),
  });
  expect(await served()).toEqual([1, 1, 1]);

  release(2);
  const plan = await run("svcm plan", "--environment", "production", "--exit-code");
  expect(plan).toMatchObject({ code: 1, stdout: expect.stringContaining("3 to update.") });
  [, planned = ""] = /Plan ([0-9a-f]{4}-[0-9a-f]{4})\.$/m.exec(plan.stdout) ?? [];
  expect((await run("svcm apply -e production --plan 7f3a-9c21", "--message", "second")).code).toBe(0);
  expect(await served()).toEqual([2, 2, 2]);

  release(3, { "orders-restapi": CRASHES });
  const crashed = await apply();
  expect(crashed).toMatchObject({ code: 1, stderr: expect.stringContaining("orders-restapi") });
  expect(crashed.stderr).toContain("Every touched app runs as before.");
  expect(await served()).toEqual([2, 2, 2]);

  release(4, { "shop-restapi": ANSWERS_500 });
  const refused = await run("svcm apply --preflight", "--environment", "production", "--yes");
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("No process was changed.") });
  const bad = await apply();
  expect(bad).toMatchObject({ code: 1, stderr: expect.stringContaining("answered with status 500") });
  expect(await served()).toEqual([2, 2, 2]);

  release(5);
  expect((await apply()).code).toBe(0);
  expect(await served()).toEqual([5, 5, 5]);
  expect((await apply()).stdout).toBe("Nothing to do.\n");

  const releases = (await run("svcm releases")).stdout;
  const outcomes = releases.matchAll(/ (applied|reverted|refused) /g);
  expect([...outcomes].map(([, outcome]) => outcome)).toEqual([
    "applied",
    "reverted",
    "refused",
    "reverted",
    "applied",
    "applied",
  ]);
  expect((await run("svcm rollback --dry-run")).stdout).toContain("returns to its former definition");
  expect((await run("svcm rollback", "--yes")).code).toBe(0);
  expect(await served()).toEqual([2, 2, 2]);
});
