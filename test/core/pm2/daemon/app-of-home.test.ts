import { spawn } from "node:child_process";
import { once } from "node:events";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isAppOf } from "../../../../src/core/pm2/daemon/proc.ts";
import { isLinux } from "../../../support/machine.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

test.skipIf(!isLinux)(
  "a process of a PM2_HOME that is a link is an app of the folder, and the other way round",
  async () => {
    const home = temporaryFolder();
    const link = join(temporaryFolder(), "link");
    symlinkSync(home, link);
    for (const [PM2_HOME, other] of [
      [link, home],
      [home, link],
    ] as const) {
      const script = 'console.log("up"); setInterval(() => {}, 1e6)';
      const child = spawn(process.execPath, ["-e", script], { env: { PM2_HOME, pm_id: "0" } });
      onTestFinished(() => void child.kill("SIGKILL"));
      await once(child.stdout, "data");
      expect(isAppOf(other, child.pid ?? 0)).toBe(true);
    }
  },
);

test.skipIf(!isLinux).each([
  [{ PM2_HOME: "/srv/pm2", pm_id: "0" }, true],
  [{ PM2_HOME: "/srv/pm2/", pm_id: "0" }, true],
  [{ PM2_HOME: "/srv/pm2", pm2_env: "{}" }, true],
  [{ PM2_HOME: "/srv/pm2" }, false],
  [{ PM2_HOME: "/srv/pm2-other", pm_id: "0" }, false],
])("a process with %j is an app of the PM2 of /srv/pm2: %s", async (env, isApp) => {
  const child = spawn(process.execPath, ["-e", 'console.log("up"); setInterval(() => {}, 1e6)'], { env });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  expect(isAppOf("/srv/pm2", child.pid ?? 0)).toBe(isApp);
});
