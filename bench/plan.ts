/**
 * CPU times of a plan with nothing to do, compared with `pm2 jlist` of the same PM2, in a repository with one folder of
 * files for each app.
 *
 * node --import tsx bench/plan.ts [rounds] [apps] [files of an app]
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { plainEnvironment } from "../test/support/command-line.ts";
import { GIT_ENVIRONMENT } from "../test/support/git.ts";
import { pm2, type Pm2 } from "../test/support/pm2-daemon.ts";
import { childCpuMs } from "./child-cpu.ts";
import { median } from "./median.ts";

const ROOT = join(import.meta.dirname, "..");
const [rounds = 7, count = 100, files = 200] = process.argv.slice(2).map(Number);
const GOAL = 1.3;

const commands: Readonly<Record<string, readonly string[]>> = {
  "pm2 jlist": [join(ROOT, "node_modules/pm2/bin/pm2"), "jlist"],
  "svcm plan": [join(ROOT, "bin/run.js"), "plan", "--environment", "dev", "--exit-code"],
};

const own = pm2();
try {
  await own.startDaemon();
  const names = Array.from({ length: count }, (_, index) => `app-${index}`);
  for (const name of names) writeFiles(own, name);
  // A hundred processes of Node.js would need the memory of the machine.
  const idle = { script: "/bin/sleep", interpreter: "none", args: "100000" };
  own.pm2Folder(names.map((name) => ({ ...idle, name, cwd: join(own.folder, name) })));
  git(own, "init", "--quiet", "--initial-branch=main");
  git(own, "add", "--all", "pm2", ...names);
  git(own, "commit", "--quiet", "--message", "begin");
  for (const name of names) await own.startDeclared(name);
  const times = new Map(Object.keys(commands).map((name) => [name, [] as number[]]));
  // The first look records what each process was started with.
  for (const argv of Object.values(commands)) costOf(own, argv);
  for (let round = 0; round < rounds; round += 1)
    for (const [name, argv] of Object.entries(commands)) times.get(name)?.push(costOf(own, argv));
  const base = median(times.get("pm2 jlist") ?? []);
  for (const [name, all] of times) {
    const ratio = (median(all) / base).toFixed(2);
    console.log(`${name}: ${median(all).toFixed(0)} ms of CPU, ${ratio} of pm2 jlist (goal: ${GOAL} at most)`);
  }
} finally {
  await own.end();
}

function writeFiles({ folder }: Pm2, app: string): void {
  for (let index = 0; index < files; index += 1) {
    const path = join(folder, app, `part-${index % 10}`);
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, `module-${index}.js`), `module.exports = "${app} ${index}";\n`.repeat(40));
  }
}

function git({ folder }: Pm2, ...args: string[]): void {
  // A collection in the background would outlive the folder.
  execFileSync("git", ["-c", "gc.auto=0", "-c", "maintenance.auto=false", ...args], {
    cwd: folder,
    env: plainEnvironment(GIT_ENVIRONMENT),
  });
}

function costOf({ folder, home }: Pm2, argv: readonly string[]): number {
  return childCpuMs(argv, { cwd: folder, env: { PATH: process.env["PATH"], HOME: folder, PM2_HOME: home } });
}
