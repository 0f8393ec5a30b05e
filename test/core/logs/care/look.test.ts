import { closeSync, mkdirSync, openSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { lookAtLogs } from "../../../../src/core/logs/care/look.node.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const NOW = Date.parse("2026-11-27T08:00:00Z");

interface Place {
  readonly etc?: Readonly<Record<string, string>>;
  /** Below the folder that holds PM2_HOME, which is `home`. */
  readonly files?: Readonly<Record<string, string>>;
  readonly options?: object;
  /** A file that this process, which plays PM2's daemon, has open, and how. */
  readonly open?: readonly [name: string, flags: string];
  /** PM2 has not started it. */
  readonly isForeign?: boolean;
  /** It was deleted since. */
  readonly isDeleted?: boolean;
}

/** PM2 does not run, and its saved list has the apps. */
function makeHome(folder: string, apps: readonly object[], { etc = {}, files = {}, isForeign = false }: Place): string {
  const home = join(folder, "home");
  for (const name of ["home/logs", "etc/logrotate.d", "logs", ".hidden"])
    mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(home, "dump.pm2"), JSON.stringify(apps));
  if (!isForeign) writeFileSync(join(home, "pm2.pid"), String(process.pid));
  const all = { "logs/web-out.log": "line\n", ".hidden/web-out.log": "line\n", ...files };
  for (const [name, text] of Object.entries(all))
    if (name.endsWith("/")) mkdirSync(join(folder, name));
    else writeFileSync(join(folder, name), text);
  for (const [name, text] of Object.entries(etc)) writeFileSync(join(folder, "etc", name), text);
  return home;
}

async function look(apps: (folder: string) => readonly object[], place: Place = {}) {
  const folder = temporaryFolder();
  const home = makeHome(folder, apps(folder), place);
  const options = { home, folders: [folder], etc: join(folder, "etc"), isUnfinished: () => false, writersFrom: 1e9 };
  const { open, isDeleted = false } = place;
  const fd = open && openSync(join(folder, open[0]), open[1]);
  if (isDeleted && open) rmSync(join(folder, open[0]));
  const survey = await lookAtLogs({ ...options, ...place.options }, new Map(), NOW);
  if (fd !== undefined) closeSync(fd);
  const short = (path: string): string => path.replace(`${folder}/`, "");
  return {
    ...survey,
    logs: survey.logs.map((log) => ({ ...log, path: short(log.path) })),
    folder,
    watched: survey.logs
      .filter(({ watchedBy }) => watchedBy.length > 0)
      .map(({ path, watchedBy }) => [short(path), watchedBy]),
    rules: survey.logrotate.map(({ file, patterns }) => [short(file), patterns]),
    short,
  };
}

const WEB = (folder: string, more: object = {}) => ({
  name: "web",
  pm_cwd: folder,
  pm_out_log_path: join(folder, "logs/web-out.log"),
  ...more,
});

const WEB_ONLY = (folder: string) => [WEB(folder)];

describe("the logs", () => {
  test("are one for each file, also if PM2 knows its home by a link", async () => {
    const files = { "home/logs/web-out.log": "line\n" };
    const { logs } = await look(
      (folder) => {
        symlinkSync(join(folder, "home"), join(folder, "link"));
        return [WEB(folder, { pm_out_log_path: join(folder, "link/logs/web-out.log") })];
      },
      { files },
    );
    expect(logs.map(({ path, app }) => [path, app])).toEqual([["link/logs/web-out.log", "web"]]);
  });

  test("are those of the apps, of PM2 itself, and of apps that were", async () => {
    const files = {
      "logs/both.log": "",
      "home/pm2.log": "",
      "home/agent.log": "",
      "home/logs/old-out.log": "",
      "home/logs/old-error-3.log": "",
      "home/logs/notes.txt": "",
    };
    const apps = (folder: string) => [
      WEB(folder, { pm_log_path: join(folder, "logs/both.log"), pm_err_log_path: join(folder, "gone.log") }),
      { name: "quiet", pm_log_path: "/dev/null" },
      { name: "lost", pm_log_path: "relative.log" },
      { name: "odd", pm_log_path: 7 },
    ];
    const { logs } = await look(apps, { files });
    expect(logs.map(({ path, app, stream }) => `${path} ${app} ${stream}`).toSorted()).toEqual([
      "home/agent.log null null",
      "home/logs/old-error-3.log null err",
      "home/logs/old-out.log null out",
      "home/pm2.log null null",
      "logs/both.log web null",
      "logs/web-out.log web out",
    ]);
    expect(logs.map(({ problem }) => problem)).toEqual(logs.map(() => null));
  });

  test("have their rotated files, and not the folders of such a name", async () => {
    const own = "logs/web-out.log.20261127T080000Z-00";
    const files = {
      "logs/web-out.log.1": "12345",
      "logs/web-out.log.2.gz": "",
      [own]: "",
      "logs/web-out.log.9/": "",
      "logs/web-out.logs": "",
      "logs/x.log.1": "",
    };
    const { logs, short } = await look(WEB_ONLY, { files });
    const web = logs.find(({ app }) => app === "web");
    expect(web?.rotated.map(({ path, bytes, isOwn }) => [short(path), bytes, isOwn])).toEqual([
      ["logs/web-out.log.1", 5, false],
      ["logs/web-out.log.2.gz", 0, false],
      [own, 0, true],
    ]);
    expect(web).toMatchObject({ bytes: 5, earlier: null, isUnfinished: false });
  });

  test("that svcm may not read have a problem", async () => {
    const { logs } = await look(WEB_ONLY, { options: { folders: [] } });
    expect(logs.find(({ app }) => app === "web")?.problem).toBeNull();
    const all = (folder: string) => [{ name: "web", pm_cwd: folder, pm_log_path: join(folder, "logs/web-out.log") }];
    const { logs: combined } = await look(all, { options: { folders: [] } });
    expect(combined.find(({ app }) => app === "web")).toMatchObject({ stream: null, problem: null });
    const outside = (folder: string) => [WEB(folder, { pm_cwd: "/srv" })];
    const { logs: refused } = await look(outside, { options: { folders: [] } });
    expect(refused.find(({ app }) => app === "web")?.problem).toMatchObject({ code: expect.any(String) });
  });

  test("of a home that does not exist are an empty list", async () => {
    const survey = await look(WEB_ONLY, { options: { home: "/nowhere" } });
    expect(survey).toMatchObject({ home: "/nowhere", atMs: NOW, logs: [], rules: [], fullDiskMs: null });
  });
});

describe.runIf(process.platform === "linux")("the programs that have a log open", () => {
  const writersOf = async (flags: string, { isForeign = false, ...options }: { isForeign?: boolean }) => {
    const open = ["logs/web-out.log", flags] as const;
    const { logs, deleted, areWritersHidden } = await look(WEB_ONLY, { open, options, isForeign });
    const web = logs.find(({ app }) => app === "web");
    return { writers: web?.writers.map(({ pid, isAppending }) => [pid, isAppending]), deleted, areWritersHidden };
  };
  test.each<[string, string, object, boolean | undefined]>([
    ["PM2's, for appending", "a", {}, true],
    ["PM2's, from its beginning", "r+", {}, false],
    ["readers", "r", {}, undefined],
    ["any program's, if the log is large", "a", { isForeign: true, writersFrom: 5 }, true],
    ["no other program's, if the log is small", "a", { isForeign: true, writersFrom: 6 }, undefined],
    ["any program's, if a cut was interrupted", "a", { isForeign: true, isUnfinished: () => true }, true],
  ])("are found: %s", async (_what, flags, options, isAppending) => {
    const { writers, deleted, areWritersHidden } = await writersOf(flags, options);
    expect(writers).toEqual(isAppending === undefined ? [] : [[process.pid, isAppending]]);
    expect([deleted, areWritersHidden]).toEqual([[], false]);
  });

  test("are found for a log that is gone, whose room they still take", async () => {
    const open = ["logs/gone.log", "a"] as const;
    const files = { "logs/gone.log": "12345" };
    const { deleted, folder } = await look(WEB_ONLY, { files, open, isDeleted: true });
    expect(deleted).toEqual([{ path: join(folder, "logs/gone.log"), pid: process.pid, bytes: 5 }]);
    const overwriting = { files, open: ["logs/gone.log", "r+"] as const, isDeleted: true };
    expect((await look(WEB_ONLY, overwriting)).deleted).toEqual([]);
  });
});

test.each([
  ["pm2-logrotate", "online", true, true],
  ["pm2-logrotate", "stopped", true, false],
  ["pm2-logrotate", "online", false, false],
  ["pm2-other", "online", true, false],
])("%s that is %s, and a module: %s, rotates: %s", async (name, status, isModule, isRotating) => {
  const { hasPm2Logrotate } = await look((folder) => [WEB(folder), { name, status, pmx_module: isModule }]);
  expect(hasPm2Logrotate).toBe(isRotating);
});

test("each disk of a log is known once, with its room", async () => {
  const { disks, logs, folder } = await look(WEB_ONLY);
  const [dev, disk] = [...disks][0] ?? [0, { path: "", availableBytes: 0, totalBytes: 0 }];
  expect([disks.size, dev]).toEqual([1, logs[0]?.dev]);
  expect(folder.startsWith(disk.path)).toBe(true);
  expect(statSync(disk.path).dev).toBe(dev);
  expect(disk.path === "/" || statSync(join(disk.path, "..")).dev !== dev).toBe(true);
  expect(disk.totalBytes).toBeGreaterThan(disk.availableBytes);
});

test.each<[string, object, boolean]>([
  ["its folder", { watch: true }, true],
  ["nothing", { watch: false }, false],
  ["the folder of the log", { watch: ["src", "logs"] }, true],
  ["another folder", { watch: ["src"] }, false],
  ["a folder whose name begins so", { watch: ["log"] }, false],
  ["all but another folder", { watch: true, ignore_watch: ["node_modules"] }, true],
  ["all but nothing", { watch: true, ignore_watch: [""] }, true],
  ["all but two folders, of which one is that of the log", { watch: true, ignore_watch: ["a", "logs/**"] }, false],
  ["all but the folder of the log", { watch: true, ignore_watch: ["logs/**"] }, false],
  ["its folder, in which PM2 ignores hidden folders", { watch: true, pm_out_log_path: ".hidden/web-out.log" }, false],
])("an app that watches %s, is named at its log: %j", async (_, fields, isNamed) => {
  const { watched } = await look((folder) => {
    const { pm_out_log_path: log = "logs/web-out.log", ...more } = fields as { pm_out_log_path?: string };
    return [{ name: "web", pm_cwd: folder, pm_out_log_path: join(folder, log), ...more }];
  });
  expect(watched).toEqual(isNamed ? [["logs/web-out.log", ["web"]]] : []);
});

test("each file of logrotate with a path is a rule, also with one alone", async () => {
  const { rules } = await look(() => [], {
    etc: {
      "logrotate.conf": "weekly\ninclude /etc/logrotate.d\n",
      "logrotate.d/one": "/var/log/one.log {\n  daily\n}\n",
      "logrotate.d/two": "/var/log/a.log /var/log/b.log {\n  daily\n}\n",
    },
  });
  expect(rules).toEqual([
    ["etc/logrotate.d/one", ["/var/log/one.log"]],
    ["etc/logrotate.d/two", ["/var/log/a.log", "/var/log/b.log"]],
  ]);
});
