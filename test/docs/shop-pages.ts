/** The guides whose commands are those of a team's own repository, after `svcm init`. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { plainEnvironment, REPOSITORY, RUN } from "../support/command-line.ts";
import { freePort } from "../support/free-port.ts";
import { GIT_ENVIRONMENT } from "../support/git.ts";
import { endProcesses } from "../support/pm2-daemon.ts";
import { makeShop } from "../support/shop.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runPage } from "./run-page.ts";

const GUIDES = "console deployments env-files events history logs metrics pm2 serve troubleshooting".split(" ");
const HOW_TOS = GUIDES.map((page) => `docs/how-to/${page}.md`);

export const SHOP_PAGES: ReadonlySet<string> = new Set(["README.md", ...HOW_TOS]);

/** With svcm on the PATH and a separate PM2, which ends with the test. */
export function shellOfUser(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const folder = temporaryFolder();
  const home = join(folder, "pm2");
  onTestFinished(() => endProcesses(home));
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin/svcm"), `#!/bin/sh\nexec "${process.execPath}" "${RUN}" "$@"\n`, { mode: 0o755 });
  const PATH = `${folder}/bin:${process.env["PATH"]}`;
  return plainEnvironment({ ...GIT_ENVIRONMENT, HOME: folder, PATH, PM2_HOME: home, ...more });
}

/** Returns what `runPage` returns. */
export async function runInShop(page: string): Promise<string[]> {
  const [root, state] = [temporaryFolder(), temporaryFolder()];
  makeShop(root, await freePort());
  const served = await freePort();
  const env = shellOfUser({ NODE_ENV: "dev", SVC_SERVICE_MANAGEMENT_PORT: `${served}` });
  const text = readFileSync(join(REPOSITORY, page), "utf8");
  return await runPage(text, { root, state, env, ports: { 3200: served } });
}

/** A team whose repository has no `svcm.yaml` yet. @returns the address from which it is cloned */
export function makeTeam(team: string, port: number): string {
  makeShop(team, port);
  const origin = join(team, "shop.git");
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: team, env: plainEnvironment(GIT_ENVIRONMENT), stdio: "pipe" });
  git("reset", "--quiet", "--hard", "HEAD~1");
  git("clone", "--quiet", "--bare", team, origin);
  return origin;
}
