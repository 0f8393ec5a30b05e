import { expect, test } from "vitest";
import { bootIssues, bootReport } from "../../../src/core/boot/examine.ts";
import { NOT_COMPARED, type BootFacts } from "../../../src/core/boot/facts.ts";
import type { BootReport } from "../../../src/core/api/boot.ts";
import { boot, daemon, daemonFacts, online, saved, unit, withUnits } from "./facts.ts";

const withValue = (value: string, fields = {}) =>
  online({
    ...fields,
    declaration: { argsDigest: "[]", interpreterArgsDigest: "[]", environment: { MODE: value }, settings: {} },
  });
const job = (status: string) =>
  online({
    name: "job",
    status,
    declaration: { argsDigest: "[]", interpreterArgsDigest: "[]", environment: {}, settings: { autorestart: false } },
  });
const pm2Unit = unit({ name: "pm2-deploy.service", starts: "saved list" });
const LOST = {
  saved: saved([], { state: "absent", copy: { savedAtMs: 0, isCurrent: false, count: 2 } }),
  running: null,
  daemon: null,
};
const LATER = { pid: 77, savedNames: ["api", "web"], signMs: null, startedMs: Date.UTC(2026, 10, 24, 10) };
const DECLARED = { declared: { ...NOT_COMPARED, names: ["api"] } };
const outside = daemon({ group: "/user.slice/session-3.scope" });

type Row = readonly [string, Partial<BootFacts>, BootReport["verdict"], readonly (readonly [string, string])[]];

/** A state of a machine, the answer, and each finding with its command. */
const machines: readonly Row[] = [
  ["comes back", {}, "yes", []],
  ["has nothing", { ...withUnits([]), saved: saved([], { state: "absent" }), running: null }, "yes", []],
  ["has no unit", withUnits([]), "no", [["UNIT_ABSENT", "svcm boot enable"]]],
  [
    "has a unit that is not enabled",
    withUnits([unit({ isEnabled: false })]),
    "no",
    [["UNIT_DISABLED", "sudo systemctl enable svcm-pm2-deploy.service"]],
  ],
  [
    "has a unit of another user",
    withUnits([unit({ user: "root" })]),
    "no",
    [["UNIT_USER", "sudo svcm boot enable --user deploy"]],
  ],
  [
    "has a unit of another home",
    withUnits([unit({ home: "/srv/pm2", isOfHome: false })]),
    "no",
    [["UNIT_HOME", "svcm boot enable"]],
  ],
  [
    "has a unit with an unknown home",
    withUnits([unit({ home: null, isOfHome: false })]),
    "unknown",
    [["UNIT_UNKNOWN", "systemctl cat svcm-pm2-deploy.service"]],
  ],
  [
    "has a unit whose Node.js is gone",
    withUnits([unit({ missingNode: "/opt/node/bin/node" })]),
    "no",
    [["UNIT_NODE_GONE", "svcm boot enable"]],
  ],
  [
    "has a unit whose PM2 is gone",
    withUnits([unit({ missingProgram: "/usr/lib/pm2" })]),
    "no",
    [["UNIT_PROGRAM_GONE", "svcm boot enable"]],
  ],
  [
    "has a unit of a user who does not linger",
    withUnits([unit({ scope: "user", isLingering: false })]),
    "no",
    [["UNIT_NO_LINGER", "loginctl enable-linger deploy"]],
  ],
  ["has two units", withUnits([pm2Unit, unit()]), "no", [["UNIT_TWICE", "sudo systemctl disable pm2-deploy.service"]]],
  [
    "starts PM2 by a command of its own",
    withUnits([unit({ starts: "other" })]),
    "unknown",
    [["UNIT_UNKNOWN", "systemctl cat svcm-pm2-deploy.service"]],
  ],
  ["has no systemd", withUnits([], false), "unknown", [["UNIT_UNKNOWN", "pm2 startup"]]],
  ["is an image with a unit", withUnits([unit()], false), "yes", []],
  [
    "has its daemon outside of svcm's unit",
    { daemon: outside },
    "yes",
    [["UNIT_OUTSIDE", "pm2 kill && sudo systemctl start svcm-pm2-deploy.service"]],
  ],
  [
    "has its daemon in the unit of a server that ends all of its processes",
    { daemon: outside, endingUnit: { name: "svcm.service", isOfUser: false } },
    "yes",
    [
      ["UNIT_OUTSIDE", "pm2 kill && sudo systemctl start svcm-pm2-deploy.service"],
      [
        "UNIT_ENDS_DAEMON",
        "sudo mkdir -p /etc/systemd/system/svcm.service.d && printf '[Service]\\nKillMode=process\\n' | sudo tee /etc/systemd/system/svcm.service.d/pm2.conf && sudo systemctl daemon-reload",
      ],
    ],
  ],
  ["has its daemon in its unit", { endingUnit: { name: "svcm-pm2-deploy.service", isOfUser: false } }, "yes", []],
  [
    "has its daemon outside of PM2's unit",
    { daemon: outside, ...withUnits([pm2Unit]) },
    "no",
    [["UNIT_OUTSIDE", "pm2 save && pm2 kill && sudo systemctl restart pm2-deploy.service"]],
  ],
  [
    "has its daemon, without apps, outside of PM2's unit",
    { daemon: outside, running: [], ...withUnits([pm2Unit]) },
    "no",
    [
      ["UNIT_OUTSIDE", "pm2 kill && sudo systemctl restart pm2-deploy.service"],
      ["BOOT_EXTRA", "svcm boot restore"],
    ],
  ],
  ["has no list", { saved: saved([], { state: "absent" }) }, "no", [["BOOT_LIST_ABSENT", "svcm boot save"]]],
  ["has an empty list", { saved: saved([], { state: "empty" }) }, "no", [["BOOT_LIST_ABSENT", "svcm boot save"]]],
  ["has a broken list", { saved: saved([], { state: "broken" }) }, "no", [["BOOT_LIST_BROKEN", "svcm boot save"]]],
  [
    "has lost its list with its apps, and PM2's unit",
    { ...LOST, ...withUnits([pm2Unit]) },
    "no",
    [["BOOT_LIST_BROKEN", "svcm boot restore"]],
  ],
  ["has lost its list with its apps", LOST, "yes", [["BOOT_LIST_BROKEN", "svcm boot restore"]]],
  [
    "may not read the list",
    { saved: saved([], { state: "unreadable" }) },
    "unknown",
    [["BOOT_LIST_UNREADABLE", "sudo chown deploy /home/deploy/.pm2/dump.pm2"]],
  ],
  [
    "runs an app that is not saved",
    { running: [online(), online({ name: "web" })] },
    "no",
    [["BOOT_MISSING", "svcm boot save"]],
  ],
  [
    "saved an app that it no longer has",
    { saved: saved([online(), online({ name: "web" })]) },
    "no",
    [["BOOT_EXTRA", "svcm boot save"]],
  ],
  [
    "has a daemon that started after the save, with one of the apps",
    { saved: saved([online(), online({ name: "web" })]), traces: LATER },
    "no",
    [["BOOT_EXTRA", "svcm boot restore"]],
  ],
  [
    "saved an app without script and interpreter as stopped",
    {
      saved: saved([{ ...online({ status: "stopped" }), missingInterpreter: "node" } as never]),
      running: [online({ status: "stopped" })],
      missingScripts: new Set(["/srv/api.js"]),
    },
    "yes",
    [],
  ],
  ["runs another number", { running: [online(), online({ pmId: 1 })] }, "no", [["BOOT_COUNT", "svcm boot save"]]],
  [
    "runs another value",
    { running: [withValue("a")], saved: saved([withValue("b")]) },
    "no",
    [["BOOT_VALUE", "svcm boot save"]],
  ],
  ["runs another script", { running: [online({ script: "/srv/b.js" })] }, "no", [["BOOT_VALUE", "svcm boot save"]]],
  [
    "stopped an app after the save",
    { running: [online({ status: "stopped" })] },
    "no",
    [["BOOT_STATE", "svcm boot save"]],
  ],
  [
    "started an app after the save",
    { saved: saved([online({ status: "stopped" })]) },
    "no",
    [["BOOT_STATE", "svcm boot save"]],
  ],
  [
    "keeps a stopped app stopped",
    { saved: saved([online({ status: "stopped" })]), running: [online({ status: "stopped" })] },
    "yes",
    [],
  ],
  ["has an app that is errored now", { running: [online({ status: "errored" })] }, "yes", []],
  [
    "saved a job while it ran, with svcm's unit",
    { saved: saved([job("online")]), running: [job("stopped")] },
    "yes",
    [],
  ],
  [
    "saved a job while it ran, with PM2's unit",
    {
      saved: saved([job("online")]),
      running: [job("stopped")],
      daemon: daemon({ group: "/system.slice/pm2-deploy.service" }),
      ...withUnits([pm2Unit]),
    },
    "no",
    [["BOOT_JOB", "svcm boot enable"]],
  ],
  [
    "lost a script",
    { missingScripts: new Set(["/srv/api.js"]), ...DECLARED },
    "no",
    [["BOOT_SCRIPT_GONE", "svcm apply"]],
  ],
  [
    "lost the script of an app that is not declared",
    { missingScripts: new Set(["/srv/api.js"]) },
    "no",
    [["BOOT_SCRIPT_GONE", "svcm explain BOOT_SCRIPT_GONE"]],
  ],
  [
    "lost an interpreter",
    { saved: saved([{ ...online(), missingInterpreter: "node" } as never]), ...DECLARED },
    "no",
    [["BOOT_INTERPRETER_GONE", "svcm restart api --ecosystem"]],
  ],
  ["lost its daemon", { daemon: null, running: null }, "no", [["DAEMON_DEAD", "svcm boot restore"]]],
  [
    "has a daemon that was stopped on request",
    { daemon: null, running: null, traces: { pid: null, savedNames: ["api"], signMs: null } },
    "yes",
    [],
  ],
  [
    "has a daemon that does not answer",
    { running: null, silence: "PM2 did not answer." },
    "unknown",
    [["BOOT_RUNNING_UNKNOWN", "svcm list"]],
  ],
  [
    "declares an app that PM2 lists, and that is not saved",
    { running: [online(), online({ name: "web" })], declared: { ...NOT_COMPARED, file: "e.js", missing: ["web"] } },
    "no",
    [["BOOT_MISSING", "svcm boot save"]],
  ],
  [
    "declares an app that is nowhere",
    { declared: { ...NOT_COMPARED, file: "e.js", missing: ["web"] } },
    "no",
    [["BOOT_MISSING", "svcm apply"]],
  ],
  [
    "declares another value",
    { declared: { ...NOT_COMPARED, file: "e.js", values: [{ name: "api", keys: ["MODE"] }] } },
    "no",
    [["BOOT_VALUE", "svcm apply"]],
  ],
  [
    "declares another number",
    { declared: { ...NOT_COMPARED, file: "e.js", counts: [{ name: "api", declared: 2, saved: 1 }] } },
    "no",
    [["BOOT_COUNT", "svcm apply"]],
  ],
  [
    "cannot read what is declared",
    { declared: { ...NOT_COMPARED, problem: "It throws." } },
    "unknown",
    [["BOOT_DECLARED_UNKNOWN", "svcm ecosystem check"]],
  ],
];

test.each(machines)("a machine that %s", (_name, facts, verdict, findings) => {
  const report = bootReport(boot(facts));
  expect(report.findings.map(({ code, command }) => [code, command])).toEqual(findings);
  expect(report.verdict).toBe(verdict);
});

test("a value that differs is reported once, with what runs, and names no value", () => {
  const facts = boot({
    running: [withValue("canary-a")],
    saved: saved([withValue("canary-b")]),
    declared: { ...NOT_COMPARED, file: "ecosystem.config.js", values: [{ name: "api", keys: ["MODE"] }] },
  });
  const messages = bootReport(facts).findings.map(({ message }) => message);
  expect(messages).toEqual(["api would start with another MODE than it has now, saved 2026-11-24T09:30:00Z"]);
  expect(JSON.stringify(bootReport(facts))).not.toContain("canary");
});

test("in a report of everything, a machine that does not come back is a warning", () => {
  const issues = bootIssues(boot(withUnits([])), daemonFacts(), "boot");
  expect(issues).toMatchObject([{ code: "UNIT_ABSENT", severity: "warning", path: ["boot", "unit"] }]);
});
