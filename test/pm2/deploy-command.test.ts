/** The commands of docs/how-to/deploy.md, in the order of the page, with the built command line. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { plainEnvironment, REPOSITORY } from "../support/command-line.ts";
import { freePort } from "../support/free-port.ts";
import { GIT_ENVIRONMENT } from "../support/git.ts";
import { pm2 } from "../support/pm2-daemon.ts";
import { longTest } from "../support/runs.ts";
import { svcm, type RunResult } from "../support/svcm.ts";
import { shopUnderPm2 } from "./deployed-shop.ts";

const shop = shopUnderPm2();
const page = readFileSync(join(REPOSITORY, "docs/how-to/deploy.md"), "utf8");
const [start = [], ...blocks] = [...page.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = ""]) =>
  block.trim().split("\n"),
);
const lines = blocks.flat();

const run = (line: string, ...more: string[]): Promise<RunResult> =>
  svcm([...line.split(" ").slice(1), ...more], {
    root: shop.checkout,
    env: { ...shop.env, COLUMNS: "200" },
  });

const [dry = "", first = "", tagged = "", archive = "", list = "", back = "", ref = "", ...others] = lines;

test("the commands that look, deploy and list do what the page says", async () => {
  // A test of the fleet deploys to nodes.
  expect(others).toEqual([
    expect.stringMatching(/^gh pr comment /),
    expect.stringContaining(" --node role=api --dry-run"),
    expect.stringContaining(" --node role=api --yes"),
  ]);
  const looked = await run(dry);
  expect(looked).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^Prepared [0-9a-f]{7} "version 1" in .* No process was touched\.\n[^]*\+ web: start/,
    ),
  });
  expect([shop.current(), await shop.ports.processes.list()]).toEqual([null, []]);
  const deployed = await run(first);
  expect(deployed).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('"version 1" is deployed, in release folder '),
  });
  expect(deployed.stderr).toContain("is prepared already in");
  expect((await run(list)).stdout.split("\n")[2]).toContain(`${shop.current()} (current)`);

  const before = shop.current();
  shop.git("switch", "--quiet", "--create", "search-v2");
  writeFileSync(join(shop.checkout, "VERSION"), "3");
  shop.git("commit", "--quiet", "--all", "--message", "search");
  shop.git("push", "--quiet", "origin", "search-v2");
  const comment = await run(ref.replace(" > comment.md", ""));
  expect(comment).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^Deploying [0-9a-f]{7} over [0-9a-f]{7} on this machine:\n\n### Plan for `production`[^]*web/,
    ),
  });
  expect([await shop.answer(), shop.current()]).toEqual(["1", before]);
  shop.git("switch", "--quiet", "main");
});

longTest("the commands that deploy a tag and an archive, and go back, do what the page says", async () => {
  shop.publish({ VERSION: "2" });
  shop.git("tag", "v1.4.0");
  shop.git("push", "--quiet", "--tags");
  const second = await run(tagged, "--json");
  expect([second.code, JSON.parse(second.stdout)]).toMatchObject([
    0,
    { deploy: { revision: "v1.4.0", state: "done" }, release: { outcome: "applied" } },
  ]);
  expect(await shop.answer()).toBe("2");
  const [, , newest, older] = (await run(list)).stdout.split("\n");
  expect(newest).toContain(`${shop.current()} (current)`);
  expect(older).not.toContain("(current)");
  expect(await run(back)).toMatchObject({ code: 0, stdout: expect.stringContaining(": applied.") });
  expect(await shop.answer()).toBe("1");
  expect((await run(list)).stdout.split("\n")[2]).toContain(`${shop.current()} (current)`);

  shop.publish({ VERSION: "3" });
  execFileSync("node", ["build.cjs"], { cwd: shop.checkout });
  execFileSync("tar", ["-czf", "../shop-1.4.0.tgz", "--exclude=./.git", "."], { cwd: shop.checkout });
  const packed = await run(archive.replace("shop-1.4.0.tgz", "../shop-1.4.0.tgz"));
  expect(packed).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('"shop-1.4.0.tgz" is deployed, in release folder '),
  });
  expect(await shop.answer()).toBe("3");
});

longTest("from git clone to the first deploy, the five commands of the page are enough", async () => {
  const other = pm2();
  onTestFinished(() => other.end());
  await other.startDaemon();
  const port = await freePort();
  const source = join(other.folder, "source");
  const files = {
    "main.js": `require("http").createServer((_, response) => response.end(process.env.MODE)).listen(${port}, "127.0.0.1");`,
    "ecosystem.config.js": `module.exports = { apps: [{ name: "api", script: "main.js", env_production: { MODE: "production" } }] };`,
    "package.json": '{"name":"api","private":true}',
  };
  mkdirSync(source);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(source, name), text);
  const env = { HOME: other.folder, PM2_HOME: other.home, ...GIT_ENVIRONMENT };
  const shell = (command: string, cwd: string) =>
    execFileSync("sh", ["-ec", command], { cwd, env: plainEnvironment(env), stdio: ["ignore", "pipe", "pipe"] });
  shell("git init --quiet --initial-branch=main && git add --all && git commit --quiet --message one", source);
  shell(`git clone --quiet --bare source acme.git`, other.folder);
  const [clone = "", cd = "", init = "", commit = "", deploying = "", ...more] = start;
  expect([cd, more]).toEqual(["cd shop", []]);
  shell(clone.replace("git@github.com:acme/shop.git", "acme.git shop"), other.folder);
  const root = join(other.folder, "shop");
  // Without a terminal, a question gets no answer.
  const own = (line: string) => svcm([...line.split(" ").slice(1), "--yes"], { root, env });
  const begun = await own(init);
  expect(begun.code, begun.stderr).toBe(0);
  shell(commit, root);
  const deployed = await own(deploying);
  expect(deployed.code, deployed.stderr).toBe(0);
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe("production");
});

test("without a terminal, it asks for --plan or --yes before it prepares anything", async () => {
  const before = shop.releases();
  expect(await run("svcm deploy")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Accepted: --plan or --yes"),
  });
  expect(shop.releases()).toEqual(before);
});

test("a failure names its cause, and exits 1", async () => {
  shop.publish({ VERSION: "unbuildable" });
  const failed = await run("svcm deploy --yes");
  expect(failed).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(
      /The build \(npm run build\) ended with exit code 7[^]*Nothing that runs was touched/,
    ),
  });
});
