/** The first day with each supported release of Node.js: svcm and PM2 are installed with it, and it runs every command. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { plainEnvironment, REPOSITORY } from "../support/command-line.ts";
import { freePort } from "../support/free-port.ts";
import { installNode } from "../support/node-program.ts";
import { pack } from "../support/package.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runPage } from "./run-page.ts";
import { makeTeam, shellOfUser } from "./shop-pages.ts";

const read = (file: string): string => readFileSync(join(REPOSITORY, file), "utf8");
const PAGE = read("docs/tutorial/first-day.md");
const NPM = join(dirname(realpathSync(execFileSync("which", ["npm"], { encoding: "utf8" }).trim())), "npm-cli.js");

/** Those of the page on supported versions, which begin with the oldest one of package.json. */
const [, listed = ""] =
  /^\| Node\.js .*install the package with (.*?), and/m.exec(read("docs/explanation/supported-versions.md")) ?? [];
const VERSIONS = listed.split(/, | and /);

test("the page lists the oldest release that package.json accepts, and one of each later line", () => {
  const { engines } = JSON.parse(read("package.json")) as { engines: { node: string } };
  expect(engines.node).toBe(`>=${VERSIONS[0]}`);
  expect(VERSIONS.slice(1)).toEqual(["20", "22", "24", "26"]);
});

test.each(VERSIONS)("Node.js %s installs svcm alone, and runs the first day", async (version) => {
  const [team, root, state, place] = [temporaryFolder(), temporaryFolder(), temporaryFolder(), temporaryFolder()];
  const bin = installNode(join(place, "node"), version);
  const node = join(bin, "node");
  const run = (...args: string[]): string =>
    execFileSync(node, args, {
      cwd: place,
      env: plainEnvironment({
        PATH: `${bin}:${process.env["PATH"]}`,
        NODE_EXTRA_CA_CERTS: process.env["NODE_EXTRA_CA_CERTS"] ?? "",
      }),
      encoding: "utf8",
    });
  expect(run("--version")).toMatch(new RegExp(`^v${version.replaceAll(".", "\\.")}\\b`));
  writeFileSync(join(place, "package.json"), '{ "name": "tools", "private": true }\n');
  const install = (name: string): string =>
    run(NPM, "install", "--engine-strict", "--prefer-offline", "--no-audit", name);
  install(join(place, pack(place).filename));
  expect(readdirSync(join(place, "node_modules")).filter((name) => !name.startsWith("."))).toEqual(["svcm"]);
  const bytes = Number(execFileSync("du", ["-sb", "node_modules"], { cwd: place, encoding: "utf8" }).split("\t")[0]);
  const [, stated] = /one package of (\d+) MiB/.exec(read("docs/explanation/supported-versions.md")) ?? [];
  expect(`${Math.round(bytes / 1024 / 1024)}`).toBe(stated);
  install("pm2");

  const port = await freePort();
  const origin = makeTeam(team, port);
  const env = shellOfUser({ PATH: `${place}/node_modules/.bin:${bin}:${process.env["PATH"]}` });
  const text = PAGE.replaceAll("/srv/git/shop.git", origin);
  expect(await runPage(text, { root, state, env, ports: { 3000: port } })).toEqual([]);
  const list = execFileSync(join(place, "node_modules/.bin/svcm"), ["ls", "--json"], {
    cwd: join(root, "shop"),
    env,
    encoding: "utf8",
  });
  const { processes } = JSON.parse(list) as { processes: { name: string; status: string; nodeVersion: string }[] };
  // The job has not run yet.
  const running = processes.filter(({ name }) => name !== "nightly");
  const expected = { status: "online", nodeVersion: run("--version").trim().slice(1) };
  expect(running).toMatchObject(["api", "api", "worker"].map((name) => ({ name, ...expected })));
});
