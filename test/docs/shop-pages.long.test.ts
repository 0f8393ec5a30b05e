/** Runs every command of the guides as printed, in the repository of a shop that `svcm init` has set up. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { plainEnvironment, REPOSITORY, RUN } from "../support/command-line.ts";
import { freePort } from "../support/free-port.ts";
import { GIT_ENVIRONMENT } from "../support/git.ts";
import { pidsOf } from "../support/pm2-daemon.ts";
import { makeShop } from "../support/shop.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runPage } from "./run-page.ts";
import { SHOP_PAGES } from "./shop-pages.ts";

let home = "";
afterEach(() => {
  for (let pids = pidsOf(home); pids.length > 0; pids = pidsOf(home))
    for (const pid of pids) process.kill(pid, "SIGKILL");
});

test.each([...SHOP_PAGES])("the commands of %s run as printed", async (page) => {
  const [root, state, folder] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  home = join(folder, "pm2");
  makeShop(root, await freePort());
  const served = await freePort();
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin/svcm"), `#!/bin/sh\nexec "${process.execPath}" "${RUN}" "$@"\n`, { mode: 0o755 });
  const env = plainEnvironment({
    ...GIT_ENVIRONMENT,
    HOME: folder,
    NODE_ENV: "dev",
    PATH: `${folder}/bin:${process.env["PATH"]}`,
    PM2_HOME: home,
    SVC_SERVICE_MANAGEMENT_PORT: `${served}`,
  });
  const text = readFileSync(join(REPOSITORY, page), "utf8");
  expect(await runPage(text, { root, state, env, ports: { 3200: served } })).toEqual([]);
});
