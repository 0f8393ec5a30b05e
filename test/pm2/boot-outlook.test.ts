/** The findings of a reboot in a plan and for the server, with a real PM2. */
import { expect, onTestFinished, test } from "vitest";
import { bootSave, execute, rolloutApply, rolloutPlan } from "../../src/core/index.ts";
import { bootConditions } from "../../src/core/alerts/conditions.ts";
import { IDLE, pm2 } from "../support/pm2-daemon.ts";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { longTest } from "../support/runs.ts";

const caller = { source: "cli", grants: ["read", "act", "write"] } as const;

longTest(
  "a plan without steps, metrics and alerts name what the saved list has otherwise, until it is saved",
  async () => {
    const own = pm2();
    await own.startDaemon();
    const ports = own.ports();
    onTestFinished(async () => {
      await ports.processes.close();
      await own.end();
    });
    writeFileSync(join(own.folder, "web.cjs"), IDLE);
    const declare = (mode: string): void => own.pm2Folder([{ name: "web", script: "./web.cjs", env: { MODE: mode } }]);
    const apply = () => execute(rolloutApply, ports, { environment: "dev" }, caller);
    const issues = async () => (await execute(rolloutPlan, ports, { environment: "dev" }, caller)).issues;
    const codes = (): string[] | undefined => ports.bootOutlook.last()?.map(({ code }) => code);
    declare("canary-1");
    await apply();
    expect(await issues()).toEqual([]);
    const dump = join(own.home, "dump.pm2");
    const older = readFileSync(dump);
    declare("canary-2");
    await apply();
    expect(await issues()).toEqual([]);
    // Another program saved, or restored, an older list.
    writeFileSync(dump, older);
    const [issue, ...others] = await issues();
    expect(others).toEqual([]);
    expect(issue).toMatchObject({ code: "BOOT_VALUE", severity: "warning", path: ["web"] });
    expect(issue?.message).toMatch(
      /^after a reboot: web would start with another MODE than it has now.*\. Next: svcm boot save$/,
    );
    expect(codes()).toBeUndefined();
    await ports.bootOutlook.look();
    expect(codes()).toContain("BOOT_VALUE");
    expect(JSON.stringify([issue, ports.bootOutlook.last()])).not.toContain("canary");
    await execute(bootSave, ports, {}, caller);
    await ports.bootOutlook.look();
    expect(codes()).not.toContain("BOOT_VALUE");
    expect(await issues()).toEqual([]);
  },
);

test("an alert names the first finding and counts the others; without a look there is none", () => {
  const issue = { code: "UNIT_ABSENT", severity: "error", path: [], message: "systemd has no unit" } as const;
  expect(bootConditions(undefined)).toEqual([]);
  expect(bootConditions([])).toEqual([]);
  expect(bootConditions([issue, issue])).toMatchObject([
    {
      rule: "boot",
      subject: "reboot",
      details: "A reboot would not bring back what runs: systemd has no unit. In all, svcm boot has 2 errors.",
    },
  ]);
});
