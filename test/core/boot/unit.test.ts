import { describe, expect, test } from "vitest";
import {
  expandSpecifiers,
  findStart,
  parseUnit,
  unitText,
  planUnit,
  requireRights,
} from "../../../src/core/boot/unit-text.ts";
import { isInRange, isOlder } from "../../../src/core/boot/renewal.ts";
import { boot, HOME, online, saved, unit, withUnits } from "./facts.ts";

const user = { name: "deploy", uid: 1001, folder: "/home/deploy" };
const root = { name: "root", uid: 0, folder: "/root" };
const program = { node: "/opt/my node/bin/node", svcm: '/srv/100%/"svcm"/bin/run.js' };

describe("a unit of svcm", () => {
  const text = unitText({
    scope: "system",
    user,
    home: "/srv/pm2 home",
    program,
    stopMs: 60_000,
    replaced: ["pm2-deploy.service"],
    linger: false,
  });

  test("is read as it was written, with spaces, quotes and percent signs", () => {
    const { commands, environment, replaced, user: name } = parseUnit(text);
    expect(commands).toEqual([[program.node, '/srv/100%%/"svcm"/bin/run.js', "boot", "restore"]]);
    expect(environment).toMatchObject({ PM2_HOME: "/srv/pm2 home", HOME: "/home/deploy" });
    expect({ replaced, name }).toEqual({ replaced: ["pm2-deploy.service"], name: "deploy" });
    expect(findStart(commands)).toMatchObject({ starts: "svcm", node: program.node });
  });

  test("gives the slowest app its time at a stop", () => {
    expect(text).toContain("\nTimeoutStopSec=75\n");
    expect(text).toContain("\nType=notify\n");
  });
});

describe("the unit that is written", () => {
  const request = { user, home: HOME, saved: saved([]), program, digest: () => "abcdefghij" };
  const ofRoot = (units = boot().system.units) => ({ ...withUnits(units).system, current: root });

  test("is one of the system for root, and disables the unit of PM2", () => {
    const pm2Unit = unit({ name: "pm2-deploy.service", starts: "saved list" });
    expect(planUnit({ ...request, system: ofRoot([pm2Unit]) })).toMatchObject({
      name: "svcm-pm2-deploy.service",
      scope: "system",
      replaced: ["pm2-deploy.service"],
      linger: false,
    });
  });

  test("leaves a unit alone that is not enabled, or that starts another PM2", () => {
    const others = [unit({ name: "old.service", isEnabled: false }), unit({ name: "b.service", isOfHome: false })];
    expect(planUnit({ ...request, system: ofRoot(others) }).replaced).toEqual([]);
  });

  test("remembers what it disabled when it is written again", () => {
    const former = unit({ replaced: ["pm2-deploy.service"] });
    expect(planUnit({ ...request, system: ofRoot([former]) }).replaced).toEqual(["pm2-deploy.service"]);
  });

  test("is one of the user otherwise, who then lingers", () => {
    const plan = planUnit({ ...request, system: withUnits([]).system });
    expect(plan).toMatchObject({ name: "svcm-pm2.service", scope: "user", linger: true });
    expect(plan.text).toContain("WantedBy=default.target");
    expect(plan.text).not.toContain("User=");
  });

  test("lets a user linger who did not, and leaves one who lingers for another unit", () => {
    const lingers = (more: object) => {
      const pm2Unit = unit({ name: "pm2.service", scope: "user", isLingering: false, ...more });
      return planUnit({ ...request, system: withUnits([pm2Unit]).system }).linger;
    };
    expect([lingers({}), lingers({ isLingering: true })]).toEqual([true, false]);
    const own = { name: "svcm-pm2.service", isLingering: true };
    expect([lingers(own), lingers({ ...own, madeLinger: true })]).toEqual([false, true]);
  });

  test("has another name for another home of the user", () => {
    expect(planUnit({ ...request, home: "/srv/pm2", system: ofRoot([]) }).name).toBe(
      "svcm-pm2-deploy-abcdefgh.service",
    );
  });

  test("waits for the longest kill_timeout", () => {
    const slow = online({ declaration: { ...online().declaration, settings: { killTimeout: 120_000 } } });
    expect(planUnit({ ...request, saved: saved([slow]), system: ofRoot([]) }).text).toContain("TimeoutStopSec=135\n");
  });

  test.each([
    ["a user's own", user, user, [], false],
    ["another user's, as root", root, user, [], false],
    ["another user's", user, root, [], true],
    ["a user's own that replaces one of the system", user, user, ["svcm-pm2-deploy.service"], true],
  ])("of %s", (_name, current, owner, replaced, isRefused) => {
    const ask = () => requireRights({ ...boot().system, current }, owner, replaced, [unit()]);
    if (isRefused)
      expect(ask).toThrow(
        expect.objectContaining({ body: expect.objectContaining({ code: "BOOT_NEEDS_ROOT" }) as unknown }),
      );
    else expect(ask).not.toThrow();
  });
});

describe("units of others", () => {
  test("of PM2", () => {
    const { commands, environment } = parseUnit(
      "[Service]\nUser=deploy\nEnvironment=PATH=/usr/bin:/bin\nEnvironment=PM2_HOME=/home/deploy/.pm2\nExecStart=/usr/lib/node_modules/pm2/bin/pm2 resurrect\n",
    );
    expect(findStart(commands)).toEqual({
      starts: "saved list",
      node: null,
      program: "/usr/lib/node_modules/pm2/bin/pm2",
    });
    expect(environment["PM2_HOME"]).toBe("/home/deploy/.pm2");
  });

  test("a drop-in adds, and an empty value takes back", () => {
    const text =
      "[Service]\nExecStart=/usr/bin/pm2 resurrect\n[Service]\nExecStart=\nExecStart=-/usr/bin/node /srv/x.js \\\n  --flag\n";
    expect(parseUnit(text).commands).toEqual([["/usr/bin/node", "/srv/x.js", "--flag"]]);
  });

  test.each([
    [["/usr/bin/node", "--max-old-space-size=99", "/usr/bin/pm2", "resurrect"], "saved list"],
    [["/usr/bin/pm2-runtime", "start", "e.js"], "other"],
    [["/bin/sh", "-c", "cd /srv && pm2 start e.js"], "other"],
    [["/usr/bin/pm2", "start", "e.js"], "other"],
    [["/usr/bin/node", "/srv/app.js"], undefined],
    [["/usr/bin/backup", "/home/me/.pm2-old"], undefined],
  ])("%j", (words, starts) => {
    expect(findStart([words])?.starts).toBe(starts);
  });

  test("an unknown specifier makes a home unknown", () => {
    const known = { folder: "/home/me", user: "me", instance: "blue" };
    expect(expandSpecifiers("%h/.pm2-%i 100%%", known)).toBe("/home/me/.pm2-blue 100%");
    expect(expandSpecifiers("%t/pm2", known)).toBeUndefined();
  });
});

test.each([
  ["20.20.2", ">=20.19", true],
  ["20.18.0", ">=20.19", false],
  ["20.20.2", "^20.19.0 || >=22.12.0", true],
  ["21.7.0", "^20.19.0 || >=22.12.0", false],
  ["22.12.0", "^20.19.0 || >=22.12.0", true],
  ["20.20.2", "20.x", true],
  ["20.20.2", "20", true],
  ["20.20.2", "v20.20.1", false],
  ["20.20.2", "~20.20.0", true],
  ["20.21.0", "~20.20.0", false],
  ["20.20.2", ">=18 <21", true],
  ["20.20.2", ">= 18 < 20", false],
  ["20.20.2", "<=20", true],
  ["21.0.0", "<=20", false],
  ["20.20.2", ">20", false],
  ["21.0.0", ">20", true],
  ["19.9.0", "20", false],
  ["20.18.0", "^20.19.0", false],
  ["20.19.9", "~20.20.0", false],
  ["20.20.2", "*", true],
  ["20.20.2", "18 - 22", true],
  ["23.0.0", "18 - 22", false],
  ["22.0.0-nightly20240401", ">=22", true],
  ["unknown", ">=22", undefined],
  ["20.20.2", "lts/*", undefined],
])("Node.js %s and the range %s", (version, range, expected) => {
  expect(isInRange(version, range)).toBe(expected);
});

test("versions are compared by number", () => {
  expect([isOlder("5.4.3", "7.0.4"), isOlder("7.0.10", "7.0.4"), isOlder("7.0.4", "7.0.4")]).toEqual([
    true,
    false,
    false,
  ]);
});
