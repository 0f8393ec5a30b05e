/** The day of a newcomer, by the page alone: clone, init, state, value, deploy, break, why, back, check. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { plainEnvironment, REPOSITORY } from "../support/command-line.ts";
import { freePort } from "../support/free-port.ts";
import { GIT_ENVIRONMENT } from "../support/git.ts";
import { makeShop } from "../support/shop.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runPage } from "./run-page.ts";
import { shellOfUser } from "./shop-pages.ts";

const PAGE = readFileSync(join(REPOSITORY, "docs/tutorial/first-day.md"), "utf8");

test("the commands of the page run as printed, from the clone to the check", async () => {
  const [team, root, state] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  const port = await freePort();
  makeShop(team, port);
  const origin = join(team, "shop.git");
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: team, env: plainEnvironment(GIT_ENVIRONMENT), stdio: "pipe" });
  // The team has no svcm.yaml yet.
  git("reset", "--quiet", "--hard", "HEAD~1");
  git("clone", "--quiet", "--bare", team, origin);
  const env = shellOfUser();
  const text = PAGE.replaceAll("/srv/git/shop.git", origin);
  expect(await runPage(text, { root, state, env, ports: { 3000: port } })).toEqual([]);
});
