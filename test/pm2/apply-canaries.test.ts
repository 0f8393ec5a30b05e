/** Secrets in every place of a declaration. After any apply or rollback, only PM2's files and the copies contain them. */
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { earlyServerOver } from "../console/monitoring-page.ts";
import { ask, post } from "../server/support.ts";
import { svcm } from "../support/svcm.ts";
import { IDLE, pm2, type Pm2 } from "../support/pm2-daemon.ts";
import { APPLY, listener, plan } from "./applied-apps.ts";
import { longTest } from "../support/runs.ts";

let own: Pm2;
let planted = 0;
/** Letters only, so that no value looks like a placeholder or a number. */
const canary = (): string => {
  planted += 1;
  const letters = [Math.floor(planted / 26), planted % 26].map((place) => String.fromCodePoint(97 + place));
  return `canary${letters.join("")}x7Qz`;
};
const CANARY = /canary[a-z]{2}x7Qz/g;

beforeAll(async () => {
  own = pm2();
  await own.startDaemon();
  writeFileSync(join(own.folder, "app.cjs"), `if (process.env.FAILS) process.exit(3);\n${IDLE}`);
  utimesSync(join(own.folder, "app.cjs"), 1e9, 1e9);
  judgeFor("100ms");
});
afterAll(() => own.end());

const judgeFor = (time: string): void =>
  writeFileSync(join(own.folder, "deployments.yaml"), `rollout: { minHealthyTime: ${time}, healthyDeadline: 30s }`);

/** A value in each place that differs from the previous one. */
function declare(more: object = {}): void {
  writeFileSync(join(own.folder, "api.env"), `LEVEL=${canary()}\nAPI_TOKEN=${canary()}\n# ${canary()}\n`);
  own.pm2Folder([
    {
      name: "api",
      // Absolute, because the server's repository is another folder.
      script: join(own.folder, "app.cjs"),
      cwd: own.folder,
      args: ["--password", canary(), `https://u:${canary()}@h`],
      node_args: "--env-file=api.env",
      env: {
        DATABASE_URL: `postgres://user:${canary()}@db/x`,
        PLAIN: canary(),
        SVC_JWT_TOKEN_SECRET_KEY: canary(),
        ...more,
      },
    },
  ]);
}

const run = async (...args: string[]): Promise<string> => {
  const { stdout, stderr } = await svcm(args, { root: own.folder, env: { PM2_HOME: own.home } });
  return `${args.join(" ")}\n${stdout}${stderr}`;
};

longTest("no output, frame, journal, plan file or audit record holds a value", async () => {
  const outputs: string[] = [];
  declare();
  for (const flags of [[], ["--json"], ["--format", "markdown"], ["--out", "plan.json"]])
    outputs.push(await run("plan", ...flags));
  outputs.push(await run("apply", "--yes"));
  declare();
  outputs.push(await run("plan", "--json"), await run("apply", "--yes", "--json", "--message", "second"));
  declare({ FAILS: "1" });
  // Much longer than the time until the crash.
  judgeFor("19s");
  outputs.push(await run("plan"), await run("apply", "--yes"));
  expect(outputs.at(-1)).toMatch(/HEALTH_CRASHED|ended right after its start/);
  judgeFor("100ms");
  declare();
  const server = await earlyServerOver(own);
  const watching = await listener(server);
  const body = { environment: "dev", plan: (await plan(server)).id };
  const started = await post(server, body, {}, APPLY);
  expect(started.status).toBe(202);
  await watching.all();
  for (const path of [
    "plan?environment=dev",
    "releases",
    `releases/${started.json.release}`,
    "rollback",
    "audit",
    "processes",
  ])
    outputs.push((await ask(server, `/api/runtime/${path}`)).text);
  outputs.push((await ask(server, "/metrics")).text, ...watching.texts, ...server.log);
  outputs.push(await run("rollback", "--dry-run"), await run("rollback", "--yes"), await run("plan"));
  outputs.push(await run("releases", "list"), await run("releases", "show", started.json.release as string, "--json"));
  outputs.push(readFileSync(join(own.folder, "plan.json"), "utf8"));
  expect(outputs.flatMap((text) => text.match(CANARY) ?? [])).toEqual([]);
  expect(planted).toBeGreaterThan(20);
});

longTest(
  "only PM2's records, its dump and the copies of env files contain values, readable only by their owner",
  () => {
    const files = readdirSync(own.home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    const holding = files.filter((path) => readFileSync(path, "latin1").match(CANARY));
    const places = holding.map((path) => (/\/env\/\d+$/.test(path) ? "env" : basename(path)));
    expect(new Set(places)).toEqual(new Set(["before.json", "boot.json", "env", "dump.pm2", "dump.pm2.bak"]));
    for (const path of holding) expect(statSync(path).mode & 0o077, path).toBe(0);
  },
);
