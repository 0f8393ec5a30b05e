/** The day of a newcomer, by the page alone: clone, init, state, value, deploy, break, why, back, check. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { REPOSITORY } from "../support/command-line.ts";
import { freePort } from "../support/free-port.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runPage } from "./run-page.ts";
import { makeTeam, shellOfUser } from "./shop-pages.ts";

const PAGE = readFileSync(join(REPOSITORY, "docs/tutorial/first-day.md"), "utf8");

test("the commands of the page run as printed, from the clone to the check", async () => {
  const [team, root, state] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  const port = await freePort();
  const origin = makeTeam(team, port);
  const env = shellOfUser();
  const text = PAGE.replaceAll("/srv/git/shop.git", origin);
  expect(await runPage(text, { root, state, env, ports: { 3000: port } })).toEqual([]);
});
