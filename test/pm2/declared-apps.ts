/** Apps of an ecosystem file under a real PM2, with the environment of their processes and PM2's complete record of them. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { execute, processAct, type Caller } from "../../src/core/index.ts";
import { waitForFile } from "../support/appeared.ts";
import { pm2 } from "../support/pm2-daemon.ts";
import { withQuickClock } from "../support/quick-clock.ts";
import { listRawProcesses } from "../support/raw-list.ts";

export const caller: Caller = { source: "cli", actor: "tester", grants: ["read", "write"] };

/** Records the environment of the process beside its script, by pid, and reports that it is ready. */
const TELL = (mark: string): string => `
const { argv, execArgv, env, execPath } = process;
const report = { mark: ${JSON.stringify(mark)}, argv: argv.slice(2), execArgv, env, execPath: process.argv0, cwd: process.cwd() };
const { renameSync, writeFileSync } = require("node:fs");
const path = ${JSON.stringify("FOLDER")} + "/report-" + process.pid;
writeFileSync(path + ".new", JSON.stringify(report));
renameSync(path + ".new", path);
process.send("ready");
setInterval(() => {}, 1e6);`;

export const few = { script: "./first.cjs", env: { KEPT: "1" } };
/** In a cluster, PM2 waits this long for a process that neither listens nor reports that it is ready. */
const QUICK = { listen_timeout: 200 };
/** Properties of PM2's record that belong to one run, or to the position of the process in the list. */
const VOLATILE =
  /^(?:pm_id|pm_uptime|created_at|unique_id|restart_time|unstable_restarts|name|status|version|versioning|vizion_running|exit_code|NODE_APP_INSTANCE|axm_\w+|_tree_pids|username|node_version|filter_env|watch|instances|prev_restart_delay)$/;

interface Report {
  readonly mark: string;
  readonly argv: string[];
  readonly execArgv: string[];
  readonly cwd: string;
  readonly env: Record<string, string>;
}

export function declaredApps() {
  const own = pm2();
  const ports = withQuickClock(own.ports());
  beforeAll(async () => {
    await own.startDaemon();
    mkdirSync(join(own.folder, "elsewhere"));
    symlinkSync(process.execPath, join(own.folder, "another-node"));
    for (const mark of ["first", "second"])
      writeFileSync(join(own.folder, `${mark}.cjs`), TELL(mark).replace("FOLDER", own.folder));
  });
  afterAll(() => own.end());

  const many = () => ({
    script: join(own.folder, "second.cjs"),
    cwd: join(own.folder, "elsewhere"),
    args: ["--flag", "two words"],
    node_args: ["--no-warnings"],
    namespace: "other",
    max_memory_restart: "300M",
    cron_restart: "0 0 1 1 *",
    // Without automatic restarts, it would be a job, and a start only registers it.
    autorestart: true,
    kill_timeout: 4000,
    listen_timeout: 5000,
    wait_ready: true,
    max_restarts: 3,
    min_uptime: "5s",
    restart_delay: 100,
    stop_exit_codes: [3, 4],
    treekill: false,
    out_file: "./logs/out.log",
    error_file: "./logs/error.log",
    log_file: "./logs/all.log",
    time: true,
    vizion: false,
    env: { KEPT: "2", ADDED: "yes", lower_case: "yes", NUMBER: 5, LIST: ["a"] },
  });

  /** PM2's record of an app's processes, without names, numbers and properties of one run. */
  async function recordsOf(name: string): Promise<unknown[]> {
    const list = await listRawProcesses(own.home);
    return list
      .filter((listed) => listed.name === name)
      .map(({ pm_id, pm2_env }) => {
        const kept = (values: object): [string, unknown][] =>
          Object.entries(values).filter(([key]) => !VOLATILE.test(key) && key !== name);
        const { env, ...root } = pm2_env;
        const text = JSON.stringify({
          ...Object.fromEntries(kept(root)),
          env: Object.fromEntries(kept(env as object)),
        });
        const record = text.replaceAll(`${name}-`, "APP-").replaceAll(`-${pm_id}.`, "-ID.");
        return JSON.parse(record) as unknown;
      });
  }

  async function readReport(id: number): Promise<Report> {
    const pid = (await ports.processes.list()).find(({ pmId }) => pmId === id)?.pid;
    const path = join(own.folder, `report-${pid}`);
    await waitForFile(path);
    return JSON.parse(readFileSync(path, "utf8")) as Report;
  }

  const act = (action: "start" | "restart" | "reload", name: string) =>
    execute(processAct, ports, { action, scope: "ecosystem", name, environment: "dev" }, caller);

  /** Declares two apps in the same way: one that exists, and one that is new. */
  function declare(name: string, fields: object): void {
    own.pm2Folder([name, `${name}-fresh`].map((one) => ({ name: one, ...fields })));
  }

  /** Changes every field of an app and restores it. The process and PM2's record must equal those of a new process. */
  const expectEffective = async (
    mode: "fork" | "cluster",
    action: "restart" | "reload",
    fixed: object,
    interpreterName?: string,
  ) => {
    const name = `${mode}-${action}`;
    const small = { ...few, ...fixed, ...(mode === "cluster" && QUICK) };
    declare(name, small);
    await act("start", name);
    const ids = (await ports.processes.list()).filter((record) => record.name === name).map(({ pmId }) => pmId);

    const interpreter = interpreterName === undefined ? {} : { interpreter: join(own.folder, interpreterName) };
    const changed = { ...many(), ...fixed, ...interpreter };
    declare(name, changed);
    const { warnings, affected } = await act(action, name);
    expect(warnings).toEqual([]);
    expect(affected.map(({ pmId }) => pmId)).toEqual(ids);
    for (const pmId of ids) {
      const { mark, argv, execArgv, cwd, env } = await readReport(pmId);
      expect({ mark, argv, cwd }).toEqual({ mark: "second", argv: ["--flag", "two words"], cwd: changed.cwd });
      expect(execArgv).toContain("--no-warnings");
      expect(env).toMatchObject({ KEPT: "2", ADDED: "yes", lower_case: "yes", NUMBER: "5", LIST: '["a"]' });
    }
    await act("start", `${name}-fresh`);
    expect(await recordsOf(name)).toEqual(await recordsOf(`${name}-fresh`));

    declare(name, small);
    expect((await act(action, name)).warnings).toEqual([]);
    await act(action, `${name}-fresh`);
    for (const pmId of ids) {
      const { mark, argv, execArgv, cwd, env } = await readReport(pmId);
      expect({ mark, argv, cwd }).toEqual({ mark: "first", argv: [], cwd: own.folder });
      expect(execArgv).not.toContain("--no-warnings");
      expect(env).toMatchObject({ KEPT: "1" });
      for (const key of ["ADDED", "lower_case", "NUMBER", "LIST"]) expect(env).not.toHaveProperty(key);
    }
    declare(`${name}-new`, small);
    await act("start", `${name}-new`);
    expect(await recordsOf(name)).toEqual(await recordsOf(`${name}-new`));
  };
  return { own, ports, recordsOf, readReport, act, expectEffective };
}
