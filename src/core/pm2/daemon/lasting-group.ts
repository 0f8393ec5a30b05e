/** A daemon stays in the unit of systemd in which it is started, and may end with it. */
import { execFile } from "node:child_process";
import { statSync } from "node:fs";
import { promisify } from "node:util";
import { SvcmError } from "../../api/errors.ts";
import { accountOf } from "../../files/host.ts";
import { readIfReadable } from "../../files/system.ts";
import type { Pm2Home } from "../../project/workspace.node.ts";
import { shellQuote } from "../../words/text.ts";
import type { DaemonProcess, HostUnit } from "../port-daemons.ts";
import { probeSocket } from "./daemon.ts";
import { LinkFailure } from "./failure.ts";
import { groupOf } from "./proc.ts";

const TIMEOUT_MS = 3000;

/** Of `systemctl show`. */
export type UnitProperties = Readonly<Partial<Record<"Type" | "KillMode" | "RemainAfterExit" | "MainPID", string>>>;

/**
 * A running daemon is where it is. Without an answer of systemd, nothing is known and nothing is refused.
 * @throws {LinkFailure} DAEMON_ENDS_WITH_UNIT
 * @throws {SvcmError} PM2_FAILED with PM2_HOME_OF_USER
 */
export async function requireLastingDaemon({ folder, socket }: Pm2Home): Promise<void> {
  const code = await probeSocket(socket);
  if (code !== "ENOENT" && code !== "ECONNREFUSED") return;
  requireOwnHome(folder);
  const unit = unitOfGroup(groupOf("self"));
  const properties = unit && (await readProperties(unit).catch(() => undefined));
  if (unit === undefined || properties === undefined || !endsWithCommand(properties, ownCommand())) return;
  const { KillMode: killMode = "" } = properties;
  throw new LinkFailure(
    "DAEMON_ENDS_WITH_UNIT",
    `PM2's daemon does not run. One that starts here would end with ${unit.name}, and every app with it. systemd ends all processes of the unit when its command is done (KillMode=${killMode}).`,
  );
}

/**
 * PM2 would run and write as root there. A unit has chosen its user, and without its apps the machine would be worse off. In a
 * container, root uses a mounted folder that a user of the machine owns.
 */
function requireOwnHome(folder: string): void {
  const { uid = 0 } = statSync(folder, { throwIfNoEntry: false }) ?? {};
  if (uid === 0 || process.getuid?.() !== 0 || process.env["NOTIFY_SOCKET"]) return;
  const account = accountOf(uid);
  const isInHome = account !== undefined && folder.startsWith(`${account.home}/`);
  if (process.env["SUDO_UID"] === undefined && !isInHome) return;
  const owner = account?.name ?? `uid ${uid}`;
  const command = ["sudo", "-u", owner.replace("uid ", "#"), `PM2_HOME=${folder}`, "svcm", ...process.argv.slice(2)];
  throw new SvcmError("PM2_FAILED", {
    code: "PM2_HOME_OF_USER",
    path: folder,
    details: `PM2's daemon does not run, and ${folder} belongs to ${owner}. One that root starts there runs every app as root, and ${owner} could not use PM2 afterwards.`,
    hint: command.map(shellQuote).join(" "),
  });
}

/** Without an answer of systemd, nothing is known. */
export async function unitThatEnds({ pid, group }: Pick<DaemonProcess, "pid" | "group">): Promise<HostUnit | null> {
  const unit = unitOfGroup(group);
  const properties = unit && (await readProperties(unit).catch(() => undefined));
  return unit !== undefined && properties !== undefined && endsWithProgram(properties, pid) ? unit : null;
}

/** The main process of the unit is another one than PM2's daemon. */
export function endsWithProgram({ Type: type, KillMode: killMode, MainPID: mainPid }: UnitProperties, pid: number) {
  const isOther = mainPid !== undefined && mainPid !== "0" && mainPid !== String(pid);
  return isOther && SIMPLE.test(type ?? "") && endsAll(killMode);
}

/** Its only process is the program itself. A unit that brings PM2 up waits for it: notify, forking, or remaining oneshot. */
const SIMPLE = /^(?:simple|exec|idle)$/;

function endsAll(killMode: string | undefined): boolean {
  return killMode === "control-group" || killMode === "mixed";
}

/** `undefined` in a session of a user, or in a container. */
export function unitOfGroup(group: string | null): HostUnit | undefined {
  const name = group?.split("/").at(-1) ?? "";
  if (!/^[^/]+\.service$/.test(name)) return undefined;
  return { name, isOfUser: /\/user@\d+\.service\/.+\.service$/.test(group ?? "") };
}

export function endsWithCommand(
  { Type: type, KillMode: killMode, RemainAfterExit: remains, MainPID: mainPid }: UnitProperties,
  { pid, words }: OwnCommand,
): boolean {
  if (remains === "yes" || !endsAll(killMode)) return false;
  return type === "oneshot" || (SIMPLE.test(type ?? "") && mainPid === String(pid) && !words.includes("serve"));
}

interface OwnCommand {
  readonly pid: number;
  /** Of the whole process. A server outlives its requests. */
  readonly words: readonly string[];
}

function ownCommand(): OwnCommand {
  return { pid: process.pid, words: readIfReadable("/proc/self/cmdline").split("\0") };
}

async function readProperties({ name, isOfUser }: HostUnit): Promise<UnitProperties> {
  const scope = isOfUser ? ["--user"] : [];
  const env = { PATH: "/usr/bin:/bin", XDG_RUNTIME_DIR: `/run/user/${process.getuid?.()}` };
  const properties = ["show", name, "--property=Type,KillMode,RemainAfterExit,MainPID"];
  const { stdout } = await promisify(execFile)("systemctl", [...scope, ...properties], { env, timeout: TIMEOUT_MS });
  return Object.fromEntries(
    stdout.split("\n").flatMap((line) => {
      const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
      return key === undefined ? [] : [[key, value]];
    }),
  );
}
