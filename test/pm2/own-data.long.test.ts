/** An app that writes data into its own folder each time it starts, with a real PM2. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { execute, rolloutApply } from "../../src/core/index.ts";
import { plainEnvironment } from "../support/command-line.ts";
import { GIT_ENVIRONMENT } from "../support/git.ts";
import { IDLE } from "../support/pm2-daemon.ts";
import { runningPm2 } from "../support/running-pm2.ts";

const caller = { source: "cli", grants: ["read", "write"] } as const;
const { own, ports } = runningPm2();

test.each([false, true])("an apply of it is not half done, tracked by Git: %s", async (hasGit) => {
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: own.folder, env: plainEnvironment(GIT_ENVIRONMENT), stdio: "ignore" });
  const name = `report${Number(hasGit)}`;
  const report = `require("node:fs").writeFileSync(__dirname + "/${name}.json", JSON.stringify({ pid: process.pid }));`;
  writeFileSync(join(own.folder, `${name}.cjs`), `${report}\n${IDLE}`);
  writeFileSync(join(own.folder, `${name}.json`), "{}");
  writeFileSync(join(own.folder, "deployments.yaml"), "rollout: { minHealthyTime: 100ms }");
  const apply = async (mode: string) => {
    own.pm2Folder([{ name, script: `./${name}.cjs`, env: { MODE: mode } }]);
    if (hasGit) git("add", "--all", "pm2");
    if (hasGit) git("commit", "--quiet", "--message", mode);
    const { release } = await execute(rolloutApply, ports, { environment: "dev", allowDirty: true }, caller);
    return release?.outcome;
  };
  if (hasGit) git("init", "--quiet");
  if (hasGit) git("add", "--all", "--", `${name}.cjs`, `${name}.json`);
  for (const mode of ["1", "2", "3"]) expect(await apply(mode)).toBe("applied");
});
