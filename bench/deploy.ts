/**
 * Time and disk of a deploy, beside a script of the same steps, from the fetch to the removal of old releases. The script
 * deletes and starts the app, and waits until it answers.
 *
 * node --import tsx bench/deploy.ts [rounds]
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { plainEnvironment } from "../test/support/command-line.ts";
import { freePort } from "../test/support/free-port.ts";
import { GIT_ENVIRONMENT } from "../test/support/git.ts";
import { pm2 } from "../test/support/pm2-daemon.ts";
import { childCpuMs } from "./child-cpu.ts";
import { median } from "./median.ts";

const ROOT = join(import.meta.dirname, "..");
const [rounds = 5] = process.argv.slice(2).map(Number);
const GOAL = 1.1;
const KEEP = 5;
const HEALTHY_S = 0.5;

const APP = `require("express")().get("/", (_, response) => response.send(require("./dist/version.json").version)).listen(process.env.PORT, "127.0.0.1");`;
const SCRIPT = `set -eu
cd "$ROOT"; [ -d repository.git ] || git clone --quiet --bare "$ORIGIN" repository.git
git -C repository.git fetch --quiet --force origin '+refs/heads/*:refs/heads/*'
release="$ROOT/releases/$(date +%Y%m%d%H%M%S%N)"; mkdir -p "$release"
git -C repository.git archive main | tar --extract --directory="$release"
cd "$release"; npm ci --prefer-offline --no-audit --no-fund; npm run build; npm prune --omit=dev
"$PM2" delete web || true
"$PM2" start ecosystem.config.cjs
until curl --silent --fail "http://127.0.0.1:$PORT/" | grep --quiet "$VERSION"; do sleep 0.1; done; sleep ${HEALTHY_S}
ln -sfn "$release" "$ROOT/current.new"; mv -T "$ROOT/current.new" "$ROOT/current"; "$PM2" save
ls -d "$ROOT"/releases/* | head -n -${KEEP} | xargs --no-run-if-empty rm -r
`;

const own = { svcm: pm2(), script: pm2() };
const checkout = join(own.svcm.folder, "checkout");
const origin = join(own.svcm.folder, "origin.git");
const ports = { svcm: await freePort(), script: await freePort() };
const env = (of: "svcm" | "script", more: Record<string, string> = {}) =>
  plainEnvironment({
    ...GIT_ENVIRONMENT,
    HOME: own[of].folder,
    PM2_HOME: own[of].home,
    PORT: String(ports[of]),
    ...more,
  });
const run = (of: "svcm" | "script", more: Record<string, string>, program: string, ...args: string[]): string =>
  execFileSync(program, args, {
    cwd: checkout,
    env: env(of, more),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
const git = (...args: string[]): string => run("svcm", {}, "git", ...args);

function publish(version: string): void {
  writeFileSync(join(checkout, "VERSION"), version);
  git("add", "--all");
  git("commit", "--quiet", "--message", `version ${version}`);
  git("push", "--quiet", "--set-upstream", "origin", "main");
}

const place = { svcm: join(own.svcm.home, "svcm/bench/deploy"), script: join(own.script.folder, "root") };
const SHELL = `process.exitCode = require("node:child_process").spawnSync("sh", ["-c", process.env.SCRIPT], { stdio: "inherit" }).status ?? 1;`;

/** CPU and elapsed time. */
function deploy(of: "svcm" | "script", version: string): { readonly cpu: number; readonly wall: number } {
  const PM2 = join(ROOT, "node_modules/.bin/pm2");
  const more = { ROOT: place.script, ORIGIN: origin, PM2, VERSION: version, SCRIPT };
  const argv = {
    svcm: [join(ROOT, "bin/run.js"), "deploy", "--environment", "production", "--yes"],
    script: ["--eval", SHELL],
  };
  const before = performance.now();
  const cpu = childCpuMs(argv[of], { cwd: checkout, env: env(of, of === "script" ? more : {}) });
  return { cpu, wall: performance.now() - before };
}

function deployBoth(round: number) {
  publish(`v${round}`);
  return { svcm: deploy("svcm", `v${round}`), script: deploy("script", `v${round}`) };
}

try {
  await Promise.all([own.svcm.startDaemon(), own.script.startDaemon()]);
  for (const folder of [checkout, place.script]) mkdirSync(folder, { recursive: true });
  git("init", "--quiet", "--bare", "--initial-branch=main", origin);
  git("init", "--quiet", "--initial-branch=main");
  git("remote", "add", "origin", origin);
  const files = {
    ".gitignore": "node_modules\ndist\n",
    "app.cjs": APP,
    "build.cjs": `require("typescript"); require("fs").mkdirSync("dist", { recursive: true }); require("fs").writeFileSync("dist/version.json", JSON.stringify({ version: require("fs").readFileSync("VERSION", "utf8") }));`,
    "ecosystem.config.cjs": `module.exports = { apps: [{ name: "web", script: "./app.cjs", cwd: __dirname, env: { PORT: process.env.PORT } }] };`,
    "package.json": JSON.stringify({
      name: "bench",
      scripts: { build: "node build.cjs" },
      dependencies: { express: "4.21.2" },
      devDependencies: { typescript: "5.9.3" },
    }),
    "svcm.yaml": `version: 1\nenvironments: { production: [] }\necosystem: { production: ecosystem.config.cjs }\nrollout: { minHealthyTime: ${HEALTHY_S * 1000}ms }\ndeploy: { keep: ${KEEP} }\n`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(checkout, name), text);
  run("svcm", {}, "npm", "install", "--package-lock-only", "--no-audit", "--no-fund");
  // The first one fills the cache of npm.
  deployBoth(0);
  const all = Array.from({ length: rounds }, (_, round) => deployBoth(round + 1));
  for (const what of ["wall", "cpu"] as const) {
    const [svcm = 0, script = 0] = (["svcm", "script"] as const).map((of) => median(all.map((one) => one[of][what])));
    const ratio = (svcm / script).toFixed(2);
    console.log(
      `${what}: ${svcm.toFixed(0)} ms, ${ratio} of the script's ${script.toFixed(0)} ms (goal: ${GOAL} at most)`,
    );
  }
  for (const of of ["svcm", "script"] as const) {
    const kb = (path: string): number => Number(run(of, {}, "du", "--summarize", path).split("\t")[0]);
    const releases = join(place[of], "releases");
    const bare = kb(join(place[of], "repository.git"));
    console.log(
      `disk of ${of}: ${kb(place[of])} KB with ${readdirSync(releases).length} releases of ${kb(releases)} KB, and Git's ${bare} KB`,
    );
  }
} finally {
  await Promise.all([own.svcm.end(), own.script.end()]);
}
