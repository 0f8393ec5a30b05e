/** svcm writes its own files where no watch of PM2 sees them. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { commandLineCaller, envWrite, execute, openPorts } from "../../src/core/index.ts";
import { pm2 } from "../support/pm2-daemon.ts";
import { longTest } from "../support/runs.ts";

const caller = commandLineCaller();

longTest("a write and its audit record restart no app that PM2 watches with its own ignore_watch", async () => {
  const own = pm2();
  onTestFinished(() => own.end());
  await own.startDaemon();
  const root = join(own.folder, "repository");
  mkdirSync(join(root, "env"), { recursive: true });
  mkdirSync(join(root, ".svcm"));
  const former = {
    id: "former",
    timestamp: "2026-01-01T00:00:00.000Z",
    action: "env.write",
    source: "cli",
    outcome: "succeeded",
  };
  writeFileSync(join(root, ".svcm/audit.jsonl"), `${JSON.stringify(former)}\n`);
  writeFileSync(
    join(root, "svcm.yaml"),
    "version: 1\nenvironments: { production: [] }\nenv: { production: env/.env }\nkeys: { LEVEL: { kind: text, tier: editable } }\n",
  );
  writeFileSync(join(root, "env/.env"), "LEVEL=1\n");
  await own.run({ name: "watched", cwd: root, watch: true, ignore_watch: ["node_modules", "env"] });
  const watching = (): boolean => readFileSync(join(own.home, "pm2.log"), "utf8").includes("Start watching watched");
  await expect.poll(watching).toBe(true);
  const env = { PATH: process.env["PATH"] ?? "", PM2_HOME: own.home };
  const ports = await openPorts({ root, env, cwd: root });
  onTestFinished(() => ports.processes.close());
  await execute(envWrite, ports, { values: { LEVEL: "2" }, foreignKeys: "refuse" }, caller);
  expect(ports.workspace.stateFolder).toBe(join(own.home, "svcm/repository/state"));
  expect(existsSync(join(own.home, "svcm/repository/state/audit.jsonl"))).toBe(true);
  const { records } = await ports.audit.newest({ limit: 10 });
  expect(records.map(({ timestamp }) => timestamp)).toContain(former.timestamp);
  // PM2 reports changes in order, so a change after the write marks the end of what it saw of the write.
  writeFileSync(join(root, "marker.txt"), "");
  const changes = (): string[] =>
    readFileSync(join(own.home, "pm2.log"), "utf8").match(/Change detected on path \S+/g) ?? [];
  await expect.poll(changes, { timeout: 20_000 }).not.toEqual([]);
  expect(changes()).toEqual(["Change detected on path marker.txt"]);
});
