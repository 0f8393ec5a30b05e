/** The warning of an apply about what the next reboot starts, on a machine that is played here. */
import { expect, test } from "vitest";
import { createBootOutlook } from "../../../src/core/boot/examine.ts";
import { SvcmError } from "../../../src/core/api/errors.ts";
import type { SavedList } from "../../../src/core/pm2/port-daemons.ts";
import { boot, daemon, HOME, online, saved } from "./facts.ts";

interface Machine {
  readonly list?: Partial<SavedList>;
  readonly isRunning?: boolean;
  readonly isForeground?: boolean;
}

/** PM2 lists two apps, of which the saved list has one. */
function machine({ list = {}, isRunning = true, isForeground = false }: Machine) {
  const stopped = new SvcmError("PM2_FAILED", { code: "PM2_NOT_RUNNING" });
  return {
    workspace: { pm2Home: HOME },
    processes: {
      list: async () =>
        isRunning ? [online({ name: "web" }), online({ pmId: 1, name: "late" })] : Promise.reject(stopped),
      digest: (text: string) => text,
      lostDaemons: () => [],
    },
    savedLists: { read: async () => saved([online({ name: "web" })], list) },
    units: { read: async () => boot().system },
    daemons: { list: async () => [daemon({ isForeground })], unitThatEnds: async () => null },
    processLogs: { readDaemonTraces: async () => ({ ends: [], starts: [] }) },
    stamps: { missing: () => [] },
  } as never;
}

test.each([
  ["the saved list is read", {}, true],
  ["there is no saved list", { list: { state: "absent" } }, false],
  ["the saved list is broken", { list: { state: "broken" } }, false],
  ["PM2 does not run", { isRunning: false }, false],
  ["a container runs PM2 in the foreground", { isForeground: true }, false],
] as const)("if %s, a warning about its apps is: %s", async (_what, state, isWarned) => {
  const warnings = await createBootOutlook(machine(state)).apps();
  expect(warnings.map(({ severity, code }) => [severity, code])).toEqual(isWarned ? [["warning", "BOOT_MISSING"]] : []);
});
