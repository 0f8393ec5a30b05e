/** The operations of the boot, on a machine that is played here. */
import { expect, test } from "vitest";
import { bootDisable, bootEnable } from "../../../src/core/boot/operations/boot.ts";
import { bootDrain, bootRestore, bootSave } from "../../../src/core/boot/operations/saved-list.ts";
import type { UnitFacts } from "../../../src/core/boot/ports.ts";
import { SvcmError } from "../../../src/core/api/errors.ts";
import type { DaemonProcess } from "../../../src/core/pm2/port-daemons.ts";
import { boot, daemon, HOME, online, saved, unit } from "./facts.ts";

const caller = { source: "cli", actor: "ann", grants: ["read", "write", "admin"] } as const;

interface Machine {
  readonly units?: readonly UnitFacts[];
  readonly isBooted?: boolean;
  readonly isSupervised?: boolean;
  readonly daemons?: readonly DaemonProcess[] | undefined;
  /** The number of apps. */
  readonly running?: number;
  readonly saved?: number;
}

/** @returns ports, and the calls of them that change the machine */
function machine({ units = [], isBooted = true, daemons = [daemon()], ...more }: Machine) {
  const calls: unknown[] = [];
  const record = (name: string) => async (argument?: unknown) => void calls.push([name, argument]);
  const ports = {
    workspace: { root: "/srv", rootSource: ".git", pm2Home: HOME, pm2HomeSource: "PM2_HOME" },
    host: { randomId: () => "id" },
    clock: { now: () => 0, elapsed: () => 0 },
    audit: { append: async ({ outcome }: { outcome: string }) => void calls.push(outcome) },
    units: {
      read: async () => ({ ...boot().system, isBooted, units }),
      isSupervised: more.isSupervised ?? false,
      disable: record("disable"),
      notifyReady: record("ready"),
    },
    daemons: { list: async () => daemons, ownGroup: () => "/own.service" },
    savedLists: {
      read: async () => saved(Array.from({ length: more.saved ?? 0 }, () => online())),
      makePrivate: record("private"),
    },
    processes: {
      list: async () => Array.from({ length: more.running ?? 0 }, (_, pmId) => online({ pmId })),
      saveList: record("save"),
      restoreList: async () => (calls.push("restore"), []),
      digest: (text: string) => text,
    },
  };
  return { ports: ports as never, calls };
}

test.each([
  [1, 3, "saved"],
  [0, 0, "saved"],
  [0, 1, "BOOT_SAVE_EMPTY"],
  [0, 3, "BOOT_SAVE_EMPTY"],
])("while %i apps run, a list of %i apps is %s", async (running, before, expected) => {
  const { ports, calls } = machine({ running, saved: before });
  const answer = await bootSave.run(ports, {}, caller).then(
    ({ processes }) => processes,
    (error: SvcmError) => error.body.code,
  );
  const isSaved = expected === "saved";
  expect(answer).toBe(isSaved ? running : expected);
  // The list has variables, so only its owner may read it.
  expect(calls).toEqual(isSaved ? ["started", ["save", undefined], ["private", undefined], "succeeded"] : ["refused"]);
});

interface Enabling {
  /** The user who runs svcm. */
  readonly uid?: number;
  readonly user?: string;
  readonly print?: boolean;
  readonly units?: readonly UnitFacts[];
  /** The user named PM2_HOME. */
  readonly isNamed?: boolean;
}

async function enable({ uid = 1001, user, print = false, units = [], isNamed = true }: Enabling) {
  const { ports, calls } = machine({ units });
  const own = ports as Record<string, object>;
  const { system } = boot();
  const ann = { name: "ann", uid: 1002, folder: "/home/ann" };
  const current = uid === 0 ? { name: "root", uid, folder: "/root" } : system.current;
  const requested: string[] = [];
  const read = async (home: string) => (requested.push(home), { ...system, current, isBooted: true, units });
  const written = async ({ name, scope, user: of }: Record<string, { name: string }>) =>
    void calls.push(["enable", name, scope, of?.name]);
  const findUser = (name: string) => (name === "ann" ? ann : undefined);
  const all = {
    ...own,
    workspace: { ...own["workspace"], ...(!isNamed && { pm2HomeSource: undefined }) },
    host: { randomId: () => "id", digest: () => "0123456789abcdef" },
    units: {
      ...own["units"],
      read,
      enable: written,
      findUser,
      program: () => ({ node: "/usr/bin/node", svcm: "/usr/bin/svcm" }),
    },
  };
  const answer = await bootEnable
    .run(all as never, { ...(user !== undefined && { user }), print }, caller)
    .catch((error: SvcmError) => error.body?.code ?? error);
  return { answer, calls, requested };
}

test("a unit is written for the user of this PM2, and is only printed on request", async () => {
  const { answer, calls } = await enable({});
  expect(answer).toMatchObject({ scope: "user", user: "deploy", home: HOME, isEnabled: true, daemonPid: 77 });
  expect(calls).toEqual(["started", ["enable", expect.any(String), "user", "deploy"], "succeeded"]);
  const printed = await enable({ print: true });
  expect(printed.answer).toMatchObject({ isEnabled: false, text: expect.stringContaining("[Service]") });
  expect(printed.calls).toEqual([]);
});

test("root enables it for the owner of PM2_HOME, so that no app runs as root by accident", async () => {
  expect((await enable({ uid: 0 })).answer).toMatchObject({ scope: "system", user: "deploy", home: HOME });
});

test("root enables it for a named user, with the PM2_HOME of that user unless one was named", async () => {
  const ofAnn = { user: "ann", home: "/home/ann/.pm2", daemonPid: null };
  const { answer, requested } = await enable({ uid: 0, user: "ann", isNamed: false });
  expect([answer, requested.at(-1)]).toMatchObject([ofAnn, "/home/ann/.pm2"]);
  expect((await enable({ uid: 0, user: "ann" })).answer).toMatchObject({ user: "ann", home: HOME });
  expect((await enable({ uid: 0, user: "nobody" })).answer).toBe("USER_UNKNOWN");
});

test("the unit of another user, or of the system, is left to root", async () => {
  expect((await enable({ user: "ann" })).answer).toBe("BOOT_NEEDS_ROOT");
  const foreign = unit({ name: "pm2-deploy.service", starts: "saved list" });
  expect(await enable({ units: [foreign] })).toMatchObject({ answer: "BOOT_NEEDS_ROOT", calls: ["refused"] });
  expect((await enable({ uid: 0, units: [foreign] })).answer).toMatchObject({ replaced: ["pm2-deploy.service"] });
});

test.each([
  [true, true, false],
  [true, false, true],
  [false, true, false],
])(
  "a unit that made its user linger: %s; while PM2 runs: %s; ends the lingering: %s",
  async (madeLinger, runs, ends) => {
    const own = unit({ scope: "user", madeLinger, replaced: ["pm2-deploy.service"] });
    const { ports, calls } = machine({ units: [own], daemons: runs ? [daemon()] : [daemon({ home: "/other" })] });
    const answer = await bootDisable.run(ports, {}, caller);
    expect(answer).toMatchObject({ name: own.name, enabled: own.replaced, keepsLinger: madeLinger && runs });
    expect(calls).toEqual(["started", ["disable", { ...own, madeLinger: ends }], "succeeded"]);
  },
);

test.each([
  ["no unit", []],
  ["the unit of another PM2", [unit({ isOfHome: false })]],
  ["a unit that svcm did not write", [unit({ starts: "saved list" })]],
])("with %s, nothing is disabled", async (_what, units) => {
  const { ports, calls } = machine({ units });
  const nothing = { name: null, home: HOME, enabled: [], keepsLinger: false };
  expect(await bootDisable.run(ports, {}, caller)).toEqual(nothing);
  expect(calls).toEqual([]);
});

test("without systemd, a unit is not removed", async () => {
  const { ports, calls } = machine({ units: [unit()], isBooted: false });
  await expect(bootDisable.run(ports, {}, caller)).rejects.toMatchObject({ body: { code: "SYSTEMD_ABSENT" } });
  expect(calls).toEqual(["refused"]);
});

test.each([
  ["by hand", false, "/session.scope", "restored"],
  ["by systemd, with a daemon of its unit", true, "/own.service", "restored"],
  ["by systemd, with a daemon from elsewhere", true, "/session.scope", "outside"],
])("a restore %s", async (_who, isSupervised, group, state) => {
  const { ports, calls } = machine({ isSupervised, daemons: [daemon({ group })] });
  expect(await bootRestore.run(ports, {}, caller)).toMatchObject({ state, daemonPid: 77 });
  const all = ["started", "restore", "succeeded", ["private", undefined], ["ready", 77]];
  expect(calls).toEqual(state === "restored" ? all : []);
});

test.each([
  ["PM2_NOT_RUNNING", false],
  ["ETIMEDOUT", undefined],
])("the stop of the unit while PM2 answers %s: %s", async (code, drained) => {
  const drain = () => Promise.reject(new SvcmError("PM2_FAILED", { code: code as "PM2_NOT_RUNNING" }));
  const answer = bootDrain.run({ processes: { drain } } as never, {}, caller).catch(() => ({ drained: undefined }));
  expect(await answer).toEqual({ drained });
});
