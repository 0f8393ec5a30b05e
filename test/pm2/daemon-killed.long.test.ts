/** Answers of svcm while no daemon runs, and after an apply that started one. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { bootSave, execute, logsRead, type Caller } from "../../src/core/index.ts";
import { IDLE, pm2 } from "../support/pm2-daemon.ts";
import { svcm } from "../support/svcm.ts";

const caller: Caller = { source: "cli", actor: "tester", grants: ["read", "write", "logs"] };
const own = pm2();
afterAll(() => own.end());
const command = (...args: string[]) => svcm(args, { root: own.folder, env: { PM2_HOME: own.home } });

test("logs, why and show answer without a daemon, and an apply does not repeat that it is dead", async () => {
  const ports = own.ports();
  const daemon = await own.startDaemon();
  const apps = ["web", "job"].map((name) => ({ name, script: "./app.cjs" }));
  own.pm2Folder(apps);
  writeFileSync(join(own.folder, "app.cjs"), `console.log("words of " + process.env.name); ${IDLE}`);
  for (const { name } of apps) await own.startDeclared(name);
  const texts = async (app?: string) =>
    (await execute(logsRead, ports, app === undefined ? {} : { app }, caller)).lines.map(({ text }) => text).toSorted();
  await expect.poll(() => texts()).toEqual(["words of job", "words of web"]);
  await execute(bootSave, ports, {}, caller);
  await ports.logs.close();
  const pids = (await ports.processes.list()).flatMap(({ pid }) => pid ?? []);
  await daemon.signal("SIGKILL");
  // Without PM2's own module, which tests leave out, they would run on.
  for (const pid of pids) process.kill(pid, "SIGKILL");

  expect(await texts()).toEqual(["words of job", "words of web"]);
  expect(await texts("web")).toEqual(["words of web"]);
  await expect(texts("never-there")).rejects.toMatchObject({ body: { code: "PM2_NOT_RUNNING" } });
  await ports.logs.close();
  const logs = await command("logs", "web");
  expect(logs.stderr).toContain("No PM2 daemon runs, so these are the files that its apps left.");
  expect((await command("list")).stderr).toContain("svcm boot says what brings them back");
  expect((await command("why", "web")).stdout).toMatch(/^web \(id \d\) ended: probably PM2's daemon, after \d{4}-/);
  const shown = (await command("show", "web", "-e", "dev")).stdout;
  expect(shown).toMatch(/differs from ecosystem\.dev\.config\.cjs/);
  expect(shown).not.toContain("no ecosystem file");

  const applied = await command("apply", "-e", "dev", "--yes", "--allow-dirty");
  expect(applied.stdout).toContain("applied");
  expect(applied.stdout).not.toContain("DAEMON_DEAD");
  expect((await command("why", "web")).stdout).toMatch(/^web \(id \d\) ended: probably PM2's daemon, before \d{4}-/);
});
