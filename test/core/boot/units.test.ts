/** Units are enabled by programs of systemd, which are played here. */
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { nodeUnits } from "../../../src/core/boot/units.node.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** No user of a machine has it. */
const UID = 3_999_999_001;
const RUNTIME = `/run/user/${UID}`;

function programs(texts: Readonly<Record<string, string>>): void {
  const bin = temporaryFolder();
  for (const [name, text] of Object.entries(texts))
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  vi.stubEnv("PATH", `${bin}:${process.env["PATH"]}`);
  onTestFinished(() => void vi.unstubAllEnvs());
}

test.runIf(process.getuid?.() === 0)(
  "a unit of a user who begins to linger is enabled when the manager of that user has started (needs root)",
  async () => {
    const folder = temporaryFolder();
    const calls = join(folder, "calls");
    onTestFinished(() => rmSync(RUNTIME, { recursive: true, force: true }));
    mkdirSync(`${RUNTIME}/systemd`, { recursive: true });
    programs({
      // The manager takes its time.
      loginctl: `echo "loginctl $*" >> ${calls}; (sleep 0.3; : > ${RUNTIME}/systemd/private) > /dev/null 2>&1 &`,
      systemctl: `[ -e ${RUNTIME}/systemd/private ] || exit 1; echo "systemctl $*" >> ${calls}`,
    });
    const user = { name: "deploy", uid: UID, folder };
    const unit = { name: "svcm.service", scope: "user", text: "[Unit]\n", user, replaced: [], linger: true } as const;
    await nodeUnits({ env: {} }).enable(unit);
    expect(readFileSync(calls, "utf8").trim().split("\n")).toEqual([
      "loginctl enable-linger deploy",
      "systemctl --user daemon-reload",
      "systemctl --user daemon-reload",
      "systemctl --user enable svcm.service",
    ]);
    expect(readFileSync(join(folder, ".config/systemd/user/svcm.service"), "utf8")).toBe("[Unit]\n");
  },
);

/** A user unit of the user who runs the tests. */
const userUnit = (folder: string) =>
  ({
    name: "svcm.service",
    path: join(folder, "svcm.service"),
    scope: "user",
    user: "deploy",
    replaced: ["pm2-deploy.service"],
    madeLinger: true,
  }) as const;

describe("a unit", () => {
  const recording = () => {
    const calls = join(temporaryFolder(), "calls");
    const program = `echo "$(basename "$0") $*" >> ${calls}`;
    programs({ loginctl: program, systemctl: program, "systemd-notify": program });
    return () => (existsSync(calls) ? readFileSync(calls, "utf8").trim().split("\n") : []);
  };

  test("is enabled without a wait for a user who does not begin to linger, instead of those that it replaces", async () => {
    const calls = recording();
    const folder = temporaryFolder();
    const user = { name: "deploy", uid: UID, folder };
    const replaced = ["pm2-deploy.service"];
    const unit = { name: "svcm.service", scope: "user", text: "[Unit]\n", user, replaced, linger: false } as const;
    await nodeUnits({ env: {} }).enable(unit);
    expect(calls()).toEqual([
      "systemctl --user daemon-reload",
      "systemctl --user daemon-reload",
      "systemctl disable pm2-deploy.service",
      "systemctl --user enable svcm.service",
    ]);
    expect(statSync(join(folder, ".config/systemd/user/svcm.service")).mode & 0o777).toBe(0o644);
  });

  test("that is disabled gives way to those that it replaced, and its user lingers no more", async () => {
    const calls = recording();
    const folder = temporaryFolder();
    const unit = userUnit(folder);
    writeFileSync(unit.path, "[Unit]\n");
    await nodeUnits({ env: {} }).disable(unit);
    expect(calls()).toEqual([
      "systemctl --user disable svcm.service",
      "systemctl --user daemon-reload",
      "systemctl enable pm2-deploy.service",
      "loginctl disable-linger deploy",
    ]);
    expect(existsSync(unit.path)).toBe(false);
    await nodeUnits({ env: {} }).disable({ ...unit, scope: "system", replaced: [], madeLinger: false });
    expect(calls().slice(4)).toEqual(["systemctl disable svcm.service", "systemctl daemon-reload"]);
  });

  test("that has started says so only to a systemd that waits", async () => {
    const calls = recording();
    await nodeUnits({ env: {} }).notifyReady(77, "2 apps");
    expect(calls()).toEqual([]);
    const supervised = nodeUnits({ env: { NOTIFY_SOCKET: "/run/notify" } });
    await supervised.notifyReady(77, "2 apps");
    expect(calls()).toEqual(["systemd-notify MAINPID=77 READY=1 STATUS=2 apps"]);
    expect([nodeUnits({ env: {} }).isSupervised, supervised.isSupervised]).toEqual([false, true]);
  });

  test.each([
    [
      "fails in its words",
      { systemctl: "echo 'Unit not found.' >&2; echo more >&2; exit 5" },
      "SYSTEMCTL_FAILED",
      "Unit not found.",
    ],
    [
      "fails without a word",
      { systemctl: "exit 5" },
      "SYSTEMCTL_FAILED",
      "Command failed: systemctl --user restart svcm.service",
    ],
    ["is not there", {}, "ENOENT", "spawn systemctl ENOENT"],
  ])("is not started by a systemctl that %s", async (_what, texts, code, words) => {
    programs(texts);
    if (Object.keys(texts).length === 0) vi.stubEnv("PATH", temporaryFolder());
    const error = await nodeUnits({ env: {} })
      .control("restart", userUnit("/srv"))
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      kind: "BOOT_FAILED",
      body: { code, details: `systemctl --user restart svcm.service failed: ${words}` },
    });
  });
});

test("a machine has its users, and runs systemd if systemd says so", async () => {
  const root = temporaryFolder();
  const uid = process.getuid?.() ?? -1;
  const home = temporaryFolder();
  const units = nodeUnits({ env: { HOME: "/home/me" }, root });
  expect(units.findUser("deploy")).toBeUndefined();
  expect(await units.read(home)).toMatchObject({ isBooted: false, owner: null, units: [] });
  mkdirSync(join(root, "etc"));
  mkdirSync(join(root, "run/systemd/system"), { recursive: true });
  const passwd = `no\n:x:5:5::/:\nme:x:${uid}:5::/home/me:/bin/sh\ndeploy:x:1001:1001::/home/deploy:/bin/sh\n`;
  writeFileSync(join(root, "etc/passwd"), passwd);
  expect(units.findUser("deploy")).toEqual({ name: "deploy", uid: 1001, folder: "/home/deploy" });
  expect([units.findUser("no"), units.findUser("")]).toEqual([undefined, undefined]);
  const owner = { name: "me", uid, folder: "/home/me" };
  const current = { uid, folder: "/home/me" };
  expect(await units.read(home)).toMatchObject({ isBooted: true, owner, current });
  expect((await units.read(join(home, "gone"))).owner).toBeNull();
  expect(units.program()).toEqual({ node: process.execPath, svcm: realpathSync(process.argv[1] ?? "") });
  expect((await nodeUnits({ env: {}, root }).read(home)).current.folder).toBe(homedir());
});
