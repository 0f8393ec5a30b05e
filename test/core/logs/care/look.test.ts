import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lookAtLogs } from "../../../../src/core/logs/care/look.node.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const NOW = Date.parse("2026-11-27T08:00:00Z");

/** Of a PM2 that does not run, whose saved list has the apps. */
async function look(apps: (folder: string) => readonly object[], etc: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder();
  const home = join(folder, "home");
  for (const name of ["home/logs", "etc/logrotate.d", "logs", ".hidden"])
    mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(home, "dump.pm2"), JSON.stringify(apps(folder)));
  for (const name of ["logs/web-out.log", ".hidden/web-out.log"]) writeFileSync(join(folder, name), "line\n");
  for (const [name, text] of Object.entries(etc)) writeFileSync(join(folder, "etc", name), text);
  const options = { home, folders: [folder], etc: join(folder, "etc"), isUnfinished: () => false, writersFrom: 1e9 };
  const { logs, logrotate } = await lookAtLogs(options, new Map(), NOW);
  const short = (path: string): string => path.replace(`${folder}/`, "");
  return {
    watched: logs
      .filter(({ watchedBy }) => watchedBy.length > 0)
      .map(({ path, watchedBy }) => [short(path), watchedBy]),
    rules: logrotate.map(({ file, patterns }) => [short(file), patterns]),
  };
}

test.each<[string, object, boolean]>([
  ["its folder", { watch: true }, true],
  ["nothing", { watch: false }, false],
  ["the folder of the log", { watch: ["src", "logs"] }, true],
  ["another folder", { watch: ["src"] }, false],
  ["a folder whose name begins so", { watch: ["log"] }, false],
  ["all but another folder", { watch: true, ignore_watch: ["node_modules"] }, true],
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
    "logrotate.conf": "weekly\ninclude /etc/logrotate.d\n",
    "logrotate.d/one": "/var/log/one.log {\n  daily\n}\n",
    "logrotate.d/two": "/var/log/a.log /var/log/b.log {\n  daily\n}\n",
  });
  expect(rules).toEqual([
    ["etc/logrotate.d/one", ["/var/log/one.log"]],
    ["etc/logrotate.d/two", ["/var/log/a.log", "/var/log/b.log"]],
  ]);
});
