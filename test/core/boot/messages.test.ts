/** The sentences of `svcm boot`: each names what would not come back, and why. */
import { describe, expect, test } from "vitest";
import { bootReport } from "../../../src/core/boot/examine.ts";
import type { BootFacts } from "../../../src/core/boot/facts.ts";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import { boot, daemon, HOME, online, saved, unit, withUnits } from "./facts.ts";

const messages = (facts: Partial<BootFacts>, code: string): string[] =>
  bootReport(boot(facts))
    .findings.filter((one) => one.code === code)
    .map(({ message }) => message);
const outside = daemon({ group: "/user.slice/session-3.scope" });
const pm2Unit = unit({ name: "pm2.service", starts: "saved list" });
const { declaration } = online();
const withVariables = (environment: Readonly<Record<string, string>>, more: Partial<ProcessRecord> = {}) =>
  online({ ...more, declaration: { ...declaration, environment } });
const SAVED_AT = ", saved 2026-11-24";

test.each<[string, Partial<BootFacts>, readonly string[]]>([
  ["UNIT_ABSENT", withUnits([]), [`systemd has no unit that starts PM2 with PM2_HOME ${HOME}`]],
  [
    "UNIT_HOME",
    withUnits([unit({ home: "/srv/pm2", isOfHome: false })]),
    [`svcm-pm2-deploy.service starts PM2 with PM2_HOME /srv/pm2, and no unit starts the one of ${HOME}`],
  ],
  ["UNIT_HOME", withUnits([unit({ home: "/srv/pm2", isOfHome: false }), unit()]), []],
  ["UNIT_DISABLED", withUnits([unit({ isEnabled: false }), pm2Unit]), []],
  [
    "UNIT_TWICE",
    withUnits([pm2Unit, unit()]),
    [`pm2.service and svcm-pm2-deploy.service both start PM2 with PM2_HOME ${HOME}`],
  ],
  [
    "UNIT_TWICE",
    withUnits([unit(), pm2Unit]),
    [`svcm-pm2-deploy.service and pm2.service both start PM2 with PM2_HOME ${HOME}`],
  ],
  ["UNIT_TWICE", withUnits([unit(), unit({ isEnabled: false })]), []],
  [
    "UNIT_USER",
    withUnits([unit({ user: "root" })]),
    [`svcm-pm2-deploy.service runs as root, but ${HOME} belongs to deploy`],
  ],
  ["UNIT_USER", { system: { ...withUnits([unit({ user: "root" })]).system, owner: null } }, []],
  [
    "UNIT_NODE_GONE",
    withUnits([unit({ missingNode: "node" })]),
    ["svcm-pm2-deploy.service cannot start PM2: no folder of its PATH has node"],
  ],
  [
    "UNIT_NODE_GONE",
    withUnits([unit({ missingNode: "/n/node" })]),
    ["svcm-pm2-deploy.service cannot start PM2: /n/node does not exist"],
  ],
  [
    "UNIT_PROGRAM_GONE",
    withUnits([unit({ missingProgram: "/p" })]),
    ["svcm-pm2-deploy.service cannot start PM2: /p does not exist"],
  ],
  [
    "UNIT_NO_LINGER",
    withUnits([unit({ isLingering: false })]),
    ["svcm-pm2-deploy.service waits until deploy logs in: lingering is off"],
  ],
  ["UNIT_NO_LINGER", withUnits([unit({ isLingering: true })]), []],
  [
    "UNIT_OUTSIDE",
    { daemon: outside },
    ["PM2's daemon, pid 77, runs outside of svcm-pm2-deploy.service: the next boot starts it inside"],
  ],
  [
    "UNIT_OUTSIDE",
    { daemon: outside, ...withUnits([pm2Unit]) },
    ["PM2's daemon, pid 77, runs outside of pm2.service: at a shutdown, PM2 may save the apps as stopped"],
  ],
  ["UNIT_OUTSIDE", { daemon: daemon({ group: null as never }) }, []],
  [
    "UNIT_UNKNOWN",
    withUnits([unit({ starts: "other" })]),
    ["svcm-pm2-deploy.service starts PM2 by its own command, so svcm does not know which apps it starts"],
  ],
  ["UNIT_UNKNOWN", withUnits([unit({ starts: "other", isEnabled: false })]), []],
  [
    "UNIT_UNKNOWN",
    withUnits([unit({ home: null, isOfHome: false })]),
    ["svcm-pm2-deploy.service takes PM2_HOME from elsewhere, so svcm does not know which apps it starts"],
  ],
  ["UNIT_UNKNOWN", withUnits([unit({ home: null, isOfHome: false, name: "a" }), unit()]), []],
  ["UNIT_UNKNOWN", withUnits([unit({ starts: "other", isOfHome: false })]), []],
  ["UNIT_UNKNOWN", { ...withUnits([], false), saved: saved([], { state: "absent" }), running: null }, []],
  [
    "BOOT_LIST_ABSENT",
    { saved: saved([], { state: "absent" }) },
    [`PM2 lists 1 process, and its saved list ${HOME}/dump.pm2 does not exist`],
  ],
  [
    "BOOT_LIST_ABSENT",
    { saved: saved([], { state: "empty" }), running: [online(), online()] },
    [`PM2 lists 2 processes, and its saved list ${HOME}/dump.pm2 has no apps`],
  ],
  [
    "BOOT_LIST_BROKEN",
    { saved: saved([], { state: "broken" }) },
    [`PM2's saved list ${HOME}/dump.pm2 cannot be parsed; svcm has no copy`],
  ],
  ["BOOT_LIST_UNREADABLE", { saved: saved([], { state: "unreadable" }) }, [`${HOME}/dump.pm2 cannot be read`]],
  [
    "BOOT_MISSING",
    { running: [online(), online({ name: "jobs" })] },
    ["PM2 lists jobs, and the saved list does not have it"],
  ],
  [
    "BOOT_EXTRA",
    { saved: saved([online(), online({ name: "jobs" })]) },
    ["jobs is in the saved list, and PM2 no longer lists it"],
  ],
  ["BOOT_COUNT", { running: [online(), online()] }, ["api: PM2 lists 2, and the saved list has 1"]],
  [
    "BOOT_VALUE",
    { running: [withVariables({ B: "1", A: "2" })] },
    [`api would start with another A, B than it has now${SAVED_AT}`],
  ],
  [
    "BOOT_VALUE",
    { running: [withVariables({ B: "1" })], saved: saved([online()], { savedAtMs: null }) },
    ["api would start with another B than it has now"],
  ],
  [
    "BOOT_STATE",
    { running: [online({ status: "stopped" })] },
    [`api is stopped, and a reboot would start it${SAVED_AT}`],
  ],
  [
    "BOOT_STATE",
    { saved: saved([online({ status: "stopped" }), online({ status: "stopped" })]), running: [online(), online()] },
    [`api runs, and a reboot would leave it stopped (2 processes)${SAVED_AT}`],
  ],
  [
    "BOOT_SCRIPT_GONE",
    { missingScripts: new Set(["/srv/api.js"]) },
    ["api: the saved list starts /srv/api.js, which does not exist"],
  ],
  [
    "BOOT_INTERPRETER_GONE",
    { saved: saved([{ ...online(), missingInterpreter: "/n/node" } as never]) },
    ["api cannot start: /n/node does not exist"],
  ],
  [
    "BOOT_INTERPRETER_GONE",
    { saved: saved([{ ...online(), missingInterpreter: "python3" } as never]) },
    ["api cannot start: no folder of its saved PATH has python3"],
  ],
  ["BOOT_RUNNING_UNKNOWN", { running: null, silence: "PM2 is silent" }, ["what runs is not known: PM2 is silent"]],
  [
    "DAEMON_DEAD",
    { running: null, daemon: null },
    ["PM2's daemon, pid 77, ended without a message: it was killed, or the machine stopped. The saved list has api"],
  ],
  ["DAEMON_DEAD", { running: null }, []],
  ["DAEMON_DEAD", { running: null, daemon: null, silence: "x" }, []],
  ["DAEMON_DEAD", { daemon: null }, []],
  [
    "BOOT_DECLARED_UNKNOWN",
    { declared: { ...boot().declared, problem: "no file" } },
    ["what is declared is not known: no file"],
  ],
  [
    "BOOT_DECLARED_UNKNOWN",
    { declared: { ...boot().declared, problem: "x" }, saved: saved([], { state: "absent" }), running: null },
    [],
  ],
])("%s, with %o", (code, facts, expected) => {
  const found = messages(facts, code);
  expect(found).toHaveLength(expected.length);
  for (const [at, text] of expected.entries()) {
    if (text.endsWith(SAVED_AT)) expect(found[at]?.startsWith(text)).toBe(true);
    else expect(found[at]).toBe(text);
  }
});

describe("a lost list", () => {
  const copy = { savedAtMs: Date.UTC(2026, 10, 23), isCurrent: false, count: 2 };
  const lost = (more: Partial<BootFacts>) => {
    const facts = boot({ running: null, daemon: null, saved: saved([], { state: "broken", copy }), ...more });
    return bootReport(facts).findings.find(({ code }) => code === "BOOT_LIST_BROKEN");
  };
  test.each<[string, Partial<BootFacts>, string, string]>([
    ["is brought back by svcm's unit", {}, "warning", "svcm boot restore"],
    ["is not brought back by PM2's unit", withUnits([pm2Unit]), "error", "svcm boot restore"],
    [
      "is not brought back by a unit that is not enabled",
      withUnits([pm2Unit, unit({ isEnabled: false })]),
      "error",
      "svcm boot restore",
    ],
    ["is not brought back without a copy", { saved: saved([], { state: "broken" }) }, "error", "svcm boot restore"],
    ["is saved again while the apps run", { running: [online()] }, "warning", "svcm boot save"],
  ])("%s", (_what, more, severity, command) => {
    expect(lost(more)).toMatchObject({ severity, command });
    if (more.saved === undefined) expect(lost(more)?.message).toMatch(/cannot be parsed; svcm has a copy of 2026-11-2/);
  });
  test("may be one that PM2 has deleted", () => {
    expect(lost({ saved: saved([], { state: "absent", copy }) })?.message).toMatch(
      /is gone, as PM2 deletes one that it cannot parse; svcm has a copy/,
    );
  });
});

describe("the unit of a server that ends PM2 with it", () => {
  const ends = (more: Partial<BootFacts>, isOfUser = false) =>
    bootReport(boot({ daemon: outside, endingUnit: { name: "a.service", isOfUser }, ...more })).findings.find(
      ({ code }) => code === "UNIT_ENDS_DAEMON",
    );
  const sentence = "PM2's daemon, pid 77, was started in a.service: a stop or restart of that unit ends it";
  test.each<[Partial<BootFacts>, string]>([
    [{}, `${sentence}, and every app with it`],
    [{ running: null }, `${sentence}, and every app with it`],
    [{ running: [] }, sentence],
  ])("says what ends: %o", (more, message) => expect(ends(more)?.message).toBe(message));
  test("is corrected without root if it is one of the user", () => {
    expect(ends({}, true)?.command).toBe(
      "mkdir -p ~/.config/systemd/user/a.service.d && printf '[Service]\\nKillMode=process\\n' | tee ~/.config/systemd/user/a.service.d/pm2.conf && systemctl --user daemon-reload",
    );
    expect(ends({ daemon: null })).toBeUndefined();
  });
});

describe("what is declared", () => {
  const declared = { ...boot().declared, file: "e.cjs" };
  test("and neither runs nor is saved does not come back", () => {
    const one = { declared: { ...declared, missing: ["jobs", "api"] } };
    expect(messages(one, "BOOT_MISSING")).toEqual([
      "jobs is declared in e.cjs, and neither PM2 nor the saved list has it",
    ]);
  });
  test("several apps are one line, with at most six names", () => {
    const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    const more = names.map((name) => online({ name }));
    expect(messages({ running: [online(), ...more] }, "BOOT_MISSING")).toEqual([
      "PM2 lists a, b, c, d, e, f and 2 more, and the saved list does not have them",
    ]);
    expect(messages({ saved: saved([online(), ...more.slice(0, 2)]) }, "BOOT_EXTRA")).toEqual([
      "a, b are in the saved list, and PM2 no longer lists them",
    ]);
    expect(messages({ declared: { ...declared, missing: names } }, "BOOT_MISSING")).toEqual([
      "a, b, c, d, e, f and 2 more are declared in e.cjs, and neither PM2 nor the saved list has them",
    ]);
  });
  test("with another number is said once", () => {
    const counts = [{ name: "api", declared: 3, saved: 1 }];
    expect(messages({ declared: { ...declared, counts } }, "BOOT_COUNT")).toEqual([
      "api: 3 are declared, and a reboot would start 1",
    ]);
    expect(messages({ declared: { ...declared, counts }, running: [online(), online()] }, "BOOT_COUNT")).toHaveLength(
      1,
    );
  });
  test("with another value is said once for each name", () => {
    const values = [{ name: "api", keys: ["A", "B"] }];
    const [first, second] = messages(
      { declared: { ...declared, values }, running: [withVariables({ A: "1" })] },
      "BOOT_VALUE",
    );
    expect(first).toMatch(/another A than it has now/);
    expect(second).toMatch(/^api would start with another B than e\.cjs declares/);
    const only = [{ name: "api", keys: ["A"] }];
    expect(
      messages({ declared: { ...declared, values: only }, running: [withVariables({ A: "1" })] }, "BOOT_VALUE"),
    ).toHaveLength(1);
  });

  test("with a variable that only says how PM2 was called is not said", () => {
    const starters = { PM2_JSON_PROCESSING: "true", PM2_USAGE: "CLI", api: "{}" };
    expect(messages({ running: [withVariables(starters)] }, "BOOT_VALUE")).toEqual([]);
    expect(messages({ running: [withVariables({ ...starters, PM2_SERVE_PORT: "1" })] }, "BOOT_VALUE")).toHaveLength(1);
  });
});
