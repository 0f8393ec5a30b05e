import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { foreignCode } from "../api/issue.ts";
import { SvcmError } from "../api/errors.ts";
import { systemUser } from "../files/host.ts";
import { readIfReadable } from "../files/system.ts";
import { putInPlace, writeNew } from "../files/write.ts";
import type { FormerUnit, MachineUser, NewUnit, Units, UnitFacts } from "./ports.ts";
import { SYSTEM_UNIT_FOLDER, userUnitFolder } from "./unit-folders.node.ts";

interface UnitsOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of the files that are read, for tests. */
  readonly root?: string;
}

export function nodeUnits({ env, root = "/" }: UnitsOptions): Units {
  return {
    findUser: (name) => machineUsers(root).find((user) => user.name === name),
    isSupervised: Boolean(env["NOTIFY_SOCKET"]),
    program: () => ({ node: process.execPath, svcm: realpathSync(process.argv[1] ?? "") }),
    read: async (pm2Home) => {
      const { findUnits } = await import("./unit-files.node.ts");
      const users = machineUsers(root);
      const uid = readOwner(pm2Home);
      const owner = users.find((user) => user.uid === uid) ?? null;
      const units = findUnits({ root, pm2Home, owner, findUser: (name) => users.find((user) => user.name === name) });
      return { isBooted: isBooted(root), owner, current: currentUser(env), units };
    },
    enable,
    disable,
    // The times of the unit itself are the limit.
    control: (verb, { scope, name }) => systemctl(scope, [verb, name], 0),
    notifyReady: async (pid, status) => {
      if (env["NOTIFY_SOCKET"]) await run("systemd-notify", [`MAINPID=${pid}`, "READY=1", `STATUS=${status}`]);
    },
  };
}

/** @see sd_booted(3) */
function isBooted(root: string): boolean {
  return existsSync(join(root, "/run/systemd/system"));
}

function machineUsers(root: string): MachineUser[] {
  return readIfReadable(join(root, "/etc/passwd"))
    .split("\n")
    .flatMap((line) => {
      const [name = "", , uid = "", , , folder = ""] = line.split(":");
      return name === "" || uid === "" ? [] : [{ name, uid: Number(uid), folder }];
    });
}

/** A folder of another user may hide it. */
function readOwner(path: string): number | undefined {
  try {
    return statSync(path).uid;
  } catch {
    return undefined;
  }
}

function currentUser(env: UnitsOptions["env"]): MachineUser {
  return { name: systemUser(), uid: process.getuid?.() ?? -1, folder: env["HOME"] || homedir() };
}

/** Every user may read units; this one holds no values of apps. */
const UNIT_MODE = 0o644;

async function enable({ name, scope, text, user, replaced, linger }: NewUnit): Promise<void> {
  const folder = scope === "system" ? SYSTEM_UNIT_FOLDER : userUnitFolder(user.folder);
  const path = join(folder, name);
  // Before the first change: without a running manager of the user, nothing could be enabled.
  if (linger) {
    await run("loginctl", ["enable-linger", user.name]);
    await waitForManager(user.uid);
  }
  await systemctl(scope, ["daemon-reload"]);
  const write = (temporary: string): Promise<void> => writeNew(temporary, Buffer.from(text), UNIT_MODE);
  mkdirSync(folder, { recursive: true });
  await putInPlace({ target: path, path, nonce: randomUUID() }, write, () => true);
  await systemctl(scope, ["daemon-reload"]);
  if (replaced.length > 0) await systemctl("system", ["disable", ...replaced]);
  await systemctl(scope, ["enable", name]);
}

/** Lingering starts the manager of the user, which takes its time. Without one, `systemctl --user` says so. */
async function waitForManager(uid: number): Promise<void> {
  for (let tries = 0; tries < MANAGER_TRIES && !existsSync(`${runtimeFolder(uid)}/systemd/private`); tries += 1)
    await delay(MANAGER_PAUSE_MS);
}

const MANAGER_TRIES = 100;
const MANAGER_PAUSE_MS = 100;

function runtimeFolder(uid: number): string {
  return `/run/user/${uid}`;
}

async function disable({ name, path, scope, user, replaced, madeLinger }: FormerUnit): Promise<void> {
  await systemctl(scope, ["disable", name]);
  rmSync(path, { force: true });
  await systemctl(scope, ["daemon-reload"]);
  if (replaced.length > 0) await systemctl("system", ["enable", ...replaced]);
  if (madeLinger) await run("loginctl", ["disable-linger", user]);
}

function systemctl(scope: UnitFacts["scope"], args: readonly string[], timeout?: number): Promise<void> {
  return run("systemctl", scope === "user" ? ["--user", ...args] : args, timeout);
}

const COMMAND_TIMEOUT_MS = 30_000;

function run(program: string, args: readonly string[], timeout = COMMAND_TIMEOUT_MS): Promise<void> {
  // A session that `su` or cron began does not have it.
  const env = { XDG_RUNTIME_DIR: runtimeFolder(process.getuid?.() ?? 0), ...process.env };
  return new Promise((done, fail) => {
    execFile(program, args, { timeout, env }, (error, _out, stderr) => {
      if (error === null) return done();
      const code = typeof error.code === "string" ? foreignCode(error.code) : "SYSTEMCTL_FAILED";
      const words = stderr.trim().split("\n")[0] || error.message.split("\n")[0];
      fail(new SvcmError("BOOT_FAILED", { code, details: `${[program, ...args].join(" ")} failed: ${words}` }));
    });
  });
}
