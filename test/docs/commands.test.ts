/** Runs every command of README and docs as printed, in a checkout of this repository. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { checkout, moveToFreePorts } from "../support/checkout.ts";
import { plainEnvironment, REPOSITORY, RUN } from "../support/command-line.ts";
import { GIT_ENVIRONMENT } from "../support/git.ts";
import { endProcesses } from "../support/pm2-daemon.ts";
import { sampleOrAll } from "../support/runs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { blocksOf } from "./blocks.ts";
import { runPage } from "./run-page.ts";
import { SHOP_PAGES } from "./shop-pages.ts";

const docs = readdirSync(join(REPOSITORY, "docs"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".md"))
  .map((file) => `docs/${file}`);
const pages = ["README.md", "CONTRIBUTING.md", "SECURITY.md", ...docs]
  .map((file): [string, string] => [file, readFileSync(join(REPOSITORY, file), "utf8")])
  // test/cli/examples.test.ts runs the examples of commands, test/scripts/start.test.ts the tutorial of the reference
  // backend, test/pm2/deploy-command.test.ts the page about deploys, and first-day.long.test.ts the first day.
  .filter(
    ([file, text]) =>
      file !== "docs/reference-backend/tutorial.md" &&
      file !== "docs/how-to/deploy.md" &&
      file !== "docs/tutorial/first-day.md" &&
      !SHOP_PAGES.has(file) &&
      !text.includes("Do not edit. -->") &&
      blocksOf(text).length > 0,
  );

/** Small apps instead of the reference backend, whose README has its own test. */
const ECOSYSTEM = `const app = (name) => ({ name, script: "./app.cjs", cwd: __dirname });
module.exports = { apps: [app("dev-restapi"), app("dev-websocketapi")] };
`;

let home = "";
afterEach(() => endProcesses(home));

/** The others in the long run: each starts dozens of programs. */
const sample = pages.filter(([file]) => file === "docs/reference/svcm-yaml.md");

test.each(sampleOrAll(pages, sample))("the commands of %s run as printed", async (_, text) => {
  const [root, state, folder] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  home = join(folder, "pm2");
  checkout(root);
  const ports = await moveToFreePorts(root);
  writeFileSync(join(root, "pm2/ecosystem.dev.config.cjs"), ECOSYSTEM);
  writeFileSync(join(root, "pm2/app.cjs"), "setInterval(() => {}, 1e6);\n");
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin/svcm"), `#!/bin/sh\nexec "${process.execPath}" "${RUN}" "$@"\n`, { mode: 0o755 });
  const env = plainEnvironment({
    ...GIT_ENVIRONMENT,
    HOME: folder,
    PATH: `${folder}/bin:${process.env["PATH"]}`,
    PM2_HOME: home,
    SVC_SERVICE_MANAGEMENT_PORT: `${ports.serviceManagement}`,
  });
  commit(root, env);
  expect(
    await runPage(text, { root, state, env, ports: { 3000: ports.restapi, 3200: ports.serviceManagement } }),
  ).toEqual([]);
});

function commit(root: string, env: NodeJS.ProcessEnv): void {
  const git = (...argv: string[]) => execFileSync("git", argv, { cwd: root, env });
  git("init", "-q", "-b", "main");
  for (const message of ["one", "two"]) {
    git("add", "deployments.yaml", "config", "pm2", "apps/backend-template/src/config");
    git("commit", "-q", "--allow-empty", "-m", message);
  }
}
