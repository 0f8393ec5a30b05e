/** A saved list compared with what runs, and the facts of a report. */
import { describe, expect, test } from "vitest";
import { bootReport, daemonReport } from "../../../src/core/boot/examine.ts";
import type { BootFacts } from "../../../src/core/boot/facts.ts";
import { compareSaved } from "../../../src/core/boot/rules-list.ts";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import { boot, daemon, daemonFacts, online, saved, unit, withUnits } from "./facts.ts";

const messages = (facts: Partial<BootFacts>, code: string): string[] =>
  bootReport(boot(facts))
    .findings.filter((one) => one.code === code)
    .map(({ message }) => message);
const pm2Unit = unit({ name: "pm2.service", starts: "saved list" });
const { declaration } = online();
const withSettings = (settings: object, more: Partial<ProcessRecord> = {}) =>
  online({ ...more, declaration: { ...declaration, settings: settings } });
const withVariables = (environment: Readonly<Record<string, string>>, more: Partial<ProcessRecord> = {}) =>
  online({ ...more, declaration: { ...declaration, environment } });

describe("a saved list compared with what runs", () => {
  const keys = (a: ProcessRecord, b: ProcessRecord): readonly string[] =>
    compareSaved([a], [b]).find(({ kind }) => kind === "values")?.keys ?? [];
  test.each<[string, ProcessRecord, string[]]>([
    ["a variable", withVariables({ A: "1" }), ["A"]],
    ["what PM2 gives each run", withVariables({ unique_id: "1", NODE_APP_INSTANCE: "1" }), []],
    ["what the shell gives", withVariables({ SHLVL: "2", _: "/bin/x" }), []],
    ["another script", online({ script: "/x" }), ["script"]],
    ["other arguments", online({ declaration: { ...declaration, argsDigest: "x" } }), ["args"]],
    [
      "other arguments of the interpreter",
      online({ declaration: { ...declaration, interpreterArgsDigest: "x" } }),
      ["interpreterArgs"],
    ],
    ["another setting", withSettings({ killTimeout: 1 }), ["killTimeout"]],
    ["a schedule, said once", withSettings({ cronRestart: "x" }, { cronRestart: "0 3 * * *" }), ["cronRestart"]],
    ["the same", online(), []],
  ])("%s", (_what, other, expected) => expect(keys(online(), other)).toEqual(expected));

  test("a job or task rests whenever it does not run", () => {
    const task = (status: string) => withSettings({ autorestart: false }, { status });
    expect(compareSaved([task("online")], [task("stopped")])).toEqual([]);
    expect(compareSaved([task("stopped")], [task("online")])).toEqual([]);
    expect(compareSaved([online({ status: "stopped" })], [online({ status: "errored" })])).toEqual([]);
  });

  test("apps are in the order of their names", () => {
    const names = ["b", "a", "c"].map((name) => online({ name }));
    expect(compareSaved(names, []).map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      "a extra",
      "b extra",
      "c extra",
    ]);
    expect(compareSaved([], names).map(({ kind }) => kind)).toEqual(["missing", "missing", "missing"]);
  });
});

describe("the report", () => {
  test("names the owner of a list that this user cannot read", () => {
    const command = (owner: BootFacts["system"]["owner"]): string | undefined =>
      bootReport(
        boot({ saved: saved([], { state: "unreadable" }), system: { ...boot().system, owner } }),
      ).findings.find(({ code }) => code === "BOOT_LIST_UNREADABLE")?.command;
    expect(command(boot().system.owner)).toBe("sudo chown deploy /home/deploy/.pm2/dump.pm2");
    // A user without an account of this machine, as in a container.
    expect(command(null)).toBe("sudo chown --reference=/home/deploy/.pm2 /home/deploy/.pm2/dump.pm2");
  });

  test("has the facts that it judged", () => {
    const copy = { savedAtMs: 0, isCurrent: true, count: 1 };
    const foreign = unit({ name: "other", isOfHome: false });
    const facts = boot({
      ...withUnits([unit(), foreign]),
      saved: saved([online(), online({ status: "stopped" })], { copy }),
      running: [online(), online({ status: "stopped" })],
    });
    expect(bootReport(facts)).toMatchObject({
      verdict: "yes",
      owner: "deploy",
      system: "systemd",
      units: [{ name: "svcm-pm2-deploy.service" }],
      saved: { savedAt: "2026-11-24T09:30:00.000Z", savedBySvcm: true, starts: 1, processes: 2 },
      running: 2,
      daemonPid: 77,
    });
    const bare = {
      ...boot({ ...withUnits([unit()], false), running: null, daemon: null, saved: saved([], { savedAtMs: null }) }),
    };
    expect(bootReport({ ...bare, system: { ...bare.system, owner: null } })).toMatchObject({
      owner: null,
      system: "unknown",
      saved: { savedAt: null, savedBySvcm: null, starts: 0, processes: 0 },
      running: null,
      daemonPid: null,
    });
  });

  test("of a PM2 in the foreground has nothing of the list and the units, because they play no part", () => {
    const { verdict, findings } = bootReport(boot({ daemon: daemon({ isForeground: true }), ...withUnits([]) }));
    expect([verdict, findings.map(({ code }) => code)]).toEqual(["unknown", ["BOOT_FOREGROUND"]]);
  });

  test("of the daemons has the Node.js of the own one alone", () => {
    const report = daemonReport(daemonFacts({ daemons: [daemon(), daemon({ isOwn: false, pid: 78 })] }));
    expect(report.daemons?.map(({ pid, nodeVersion }) => [pid, nodeVersion])).toEqual([
      [77, "20.20.2"],
      [78, null],
    ]);
    expect(daemonReport(daemonFacts({ daemons: undefined as never })).daemons).toBeNull();
  });

  test("names a job of a list that PM2 itself starts, once", () => {
    const job = withSettings({ autorestart: false });
    const of = (status: string, units = [pm2Unit]) =>
      messages(
        {
          ...withUnits(units),
          saved: saved([
            { ...job, status },
            { ...job, status },
          ]),
          running: [
            { ...job, status },
            { ...job, status },
          ],
        },
        "BOOT_JOB",
      );
    expect(of("online")).toEqual(["api runs once at each boot: the list was saved while it ran"]);
    expect([of("stopped"), of("online", [unit()]), of("online", [unit({ ...pm2Unit, isEnabled: false })])]).toEqual([
      [],
      [],
      [],
    ]);
  });
});
