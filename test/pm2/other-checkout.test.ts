/** Two clones of a repository beside one PM2, which knows an app only by its name. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { InputOf } from "../../src/core/api/inputs.ts";
import {
  execute,
  nodePorts,
  processAct,
  releaseList,
  rolloutApply,
  rolloutPlan,
  rolloutRollback,
  statusShow,
  SvcmError,
  type Ports,
} from "../../src/core/index.ts";
import { IDLE } from "../support/pm2-daemon.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { longTest } from "../support/runs.ts";

const caller = { source: "cli", grants: ["read", "write", "logs"] } as const;
const { own } = runningPm2();

const web = { name: "web", script: "./server.js" };
const wrapped = { name: "wrapped", script: "npm", args: "start", interpreter: "none" };

function checkout(folder: string, apps: readonly object[], marker = ".git/config"): Ports {
  const root = join(own.folder, folder);
  const files = {
    "package.json": '{"name":"shop","scripts":{"start":"node server.js"}}',
    "svcm.yaml":
      "version: 1\nenvironments: { production: [] }\necosystem: { production: ecosystem.config.js }\nrollout: { minHealthyTime: 100ms }\n",
    "ecosystem.config.js": `module.exports = ${JSON.stringify({ apps })};`,
    "server.js": IDLE,
    [marker]: `[remote "origin"]\n\turl = git@host.org:team/${basename(folder)}.git\n`,
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  if (marker === ".git/config") {
    for (const name of ["objects", "refs"]) mkdirSync(join(root, ".git", name), { recursive: true });
    writeFileSync(join(root, ".git/HEAD"), "ref: refs/heads/main\n");
  }
  return nodePorts({ root, cwd: root, env: { PATH: process.env["PATH"], HOME: own.folder, PM2_HOME: own.home } });
}
const at = (folder: string): string => join(own.folder, folder);
const plan = (ports: Ports, more: InputOf<"rollout.plan"> = {}) => execute(rolloutPlan, ports, more, caller);
const apply = (ports: Ports, more: InputOf<"rollout.apply"> = {}) => execute(rolloutApply, ports, more, caller);
const refusal = (done: Promise<unknown>): Promise<unknown> =>
  done.then(
    () => "done",
    (error: unknown) => (error instanceof SvcmError ? { kind: error.kind, code: error.body.code } : error),
  );
const scripts = async (ports: Ports) =>
  (await ports.processes.list()).map(({ name, script, cwd }) => [name, script, cwd]);

test("a second clone takes nothing over until it is permitted to", { timeout: 120_000 }, async () => {
  const [first, second] = ["srv/shop", "home/alice/shop"].map((folder) => checkout(folder, [web])) as [Ports, Ports];
  await apply(first);
  expect(await plan(first)).toMatchObject({ changed: false, issues: [] });
  const before = await scripts(first);
  const { issues, steps } = await plan(second);
  expect(steps).toMatchObject([{ do: "update", app: "web", why: [{ field: "script" }] }, { do: "save" }]);
  expect(issues).toMatchObject([{ code: "CHECKOUT_SWITCH", severity: "error" }]);
  expect(issues[0]?.message).toContain(
    `PM2 has web from the checkout ${at("srv/shop")}, and this one is ${at("home/alice/shop")}.`,
  );
  expect(await refusal(apply(second))).toEqual({ kind: "APPLY_REFUSED", code: "CHECKOUT_SWITCH" });
  const restart = { action: "restart", scope: "ecosystem", name: "web" } as const;
  expect(await refusal(execute(processAct, second, restart, caller))).toEqual({
    kind: "PROCESS_ACTION_REFUSED",
    code: "CHECKOUT_SWITCH",
  });
  const { points } = await execute(statusShow, second, {}, caller);
  expect(points.map(({ message }) => message)).toContain(issues[0]?.message);
  expect(await scripts(first)).toEqual(before);

  expect(await apply(second, { switchCheckout: true })).toMatchObject({ release: { outcome: "applied" } });
  expect(await plan(second)).toMatchObject({ changed: false, issues: [] });
  expect(await refusal(apply(first))).toEqual({ kind: "APPLY_REFUSED", code: "CHECKOUT_SWITCH" });
  expect(await refusal(execute(rolloutRollback, first, {}, caller))).toEqual({
    kind: "APPLY_REFUSED",
    code: "CHECKOUT_SWITCH",
  });
});

test("a rollback undoes no release of another project whose package has the same name", async () => {
  const [one, two] = [checkout("srv/one", [{ ...web, name: "own" }]), checkout("srv/two", [{ ...web, name: "other" }])];
  const [{ release: first }, { release: second }] = [await apply(one), await apply(two)];
  const ids = async (ports: Ports) => (await execute(releaseList, ports, {}, caller)).releases.map(({ id }) => id);
  expect([await ids(one), await ids(two)]).toEqual([[first?.id], [second?.id]]);
  expect(await execute(rolloutRollback, one, {}, caller)).toMatchObject({ undoes: first?.id });
  expect((await scripts(one)).map(([name]) => name)).toContain("other");
  expect(await execute(rolloutRollback, two, {}, caller)).toMatchObject({ undoes: second?.id });
  expect((await scripts(one)).map(([name]) => name)).not.toContain("other");
});

test("an env file of one checkout says nothing of an app that runs from another", async () => {
  const third = checkout("srv/third", [web]);
  const declared = "version: 1\nenvironments: { production: [] }\necosystem: { production: ecosystem.config.js }\n";
  writeFileSync(join(at("srv/third"), "svcm.yaml"), `${declared}env: { production: .env }\n`);
  const file = { name: "production", path: join(at("srv/third"), ".env") };
  expect(await third.effects.read(file, ["PAGE_SIZE"])).toMatchObject({
    staleProcesses: [],
    unknownEffect: `PM2 has web from the checkout ${at("home/alice/shop")}.`,
  });
});

longTest(
  "a wrapper runs in the folder of its checkout, so new values of another one are refused",
  { timeout: 120_000 },
  async () => {
    const first = checkout("srv/wrapped", [wrapped]);
    const second = checkout("home/alice/wrapped", [{ ...wrapped, env: { PAGE_SIZE: "20" } }]);
    await apply(first, { apps: ["wrapped"] });
    expect(await refusal(apply(second))).toEqual({ kind: "APPLY_REFUSED", code: "CHECKOUT_SWITCH" });
    expect(await plan(first)).toMatchObject({ changed: false });
  },
);

longTest("an app that only another checkout declares is not pruned", { timeout: 120_000 }, async () => {
  const both = checkout("srv/pair", [
    { ...web, name: "one" },
    { ...web, name: "two" },
  ]);
  const single = checkout("home/alice/pair", [{ ...web, name: "three" }]);
  await apply(both);
  expect(await refusal(apply(single, { prune: true }))).toEqual({ kind: "APPLY_REFUSED", code: "CHECKOUT_SWITCH" });
  expect(await apply(single)).toMatchObject({ release: { outcome: "applied" } });
});

longTest("releases beside each other, also by a link, are one checkout", { timeout: 120_000 }, async () => {
  const [one, two] = [1, 2].map((id) =>
    checkout(`srv/site/releases/${id}`, [{ ...web, name: "site" }], "svcm.yaml.old"),
  ) as [Ports, Ports];
  await apply(one);
  expect(await plan(two)).toMatchObject({ changed: true, issues: [] });
  await apply(two);
  symlinkSync(at("srv/site"), at("site-link"));
  const root = at("site-link/releases/1");
  const linked = nodePorts({
    root,
    cwd: root,
    env: { PATH: process.env["PATH"], HOME: own.folder, PM2_HOME: own.home },
  });
  expect(await plan(linked)).toMatchObject({ changed: true, issues: [] });
});
