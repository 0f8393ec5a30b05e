/**
 * Time and size of `npm install` for svcm alone, and for svcm with PM2, which every install brought before PM2 became the
 * team's own. Alternately, in new folders, with a warm cache of npm. Usage: `npm run bench:install -- [rounds]`
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pack } from "../test/support/package.ts";
import { median } from "./median.ts";

const MEBIBYTE = 1024 * 1024;
const rounds = Number(process.argv[2] ?? 5);
const folder = mkdtempSync(join(tmpdir(), "svcm-bench-install-"));
const archive = join(folder, pack(folder).filename);
const { devDependencies } = JSON.parse(readFileSync(join(import.meta.dirname, "../package.json"), "utf8")) as {
  devDependencies: { pm2: string };
};
const KINDS = { "svcm and PM2": [archive, `pm2@${devDependencies.pm2}`], svcm: [archive] };

function install(packages: readonly string[]) {
  const cwd = mkdtempSync(join(folder, "app-"));
  writeFileSync(join(cwd, "package.json"), '{ "private": true }\n');
  const begun = performance.now();
  execFileSync("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", ...packages], {
    cwd,
    stdio: "ignore",
  });
  const seconds = (performance.now() - begun) / 1000;
  const lock = JSON.parse(readFileSync(join(cwd, "package-lock.json"), "utf8")) as { packages: object };
  const bytes = Number(execFileSync("du", ["-sb", "node_modules"], { cwd, encoding: "utf8" }).split("\t")[0]);
  rmSync(cwd, { recursive: true });
  return { seconds, packages: Object.keys(lock.packages).length - 1, bytes };
}

const all = Object.keys(KINDS).map((name) => ({ name, runs: [] as ReturnType<typeof install>[] }));
for (let round = 0; round <= rounds; round += 1)
  for (const { name, runs } of all) {
    const run = install(KINDS[name as keyof typeof KINDS]);
    // The first round fills the cache.
    if (round > 0) runs.push(run);
  }
for (const { name, runs } of all) {
  const [{ packages, bytes } = { packages: 0, bytes: 0 }] = runs;
  const seconds = median(runs.map((run) => run.seconds)).toFixed(1);
  console.log(`${name.padEnd(12)}  ${seconds} s  ${packages} packages  ${(bytes / MEBIBYTE).toFixed(1)} MiB`);
}
rmSync(folder, { recursive: true });
