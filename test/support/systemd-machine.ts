/** A second machine, with a real systemd as its first process, in namespaces of this one. */
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pause } from "./pause.ts";
import { childrenOf } from "./proc.ts";

const scripts = fileURLToPath(new URL("machine-scripts/", import.meta.url));
export const checkoutFolder = fileURLToPath(new URL("../../", import.meta.url)).replace(/\/$/, "");
const SYSTEMD = "/usr/lib/systemd/systemd";
const COMMAND_TIMEOUT_MS = 120_000;
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

export interface Machine {
  /** Runs a command as root, or as a user. */
  run(command: string, user?: string): Promise<{ readonly code: number; readonly out: string }>;
  /** Resolves when systemd has started everything again. */
  reboot(): Promise<void>;
  end(): Promise<void>;
}

/** Why this machine cannot be two; `undefined` if it can. */
export function machineProblem(): string | undefined {
  if (process.getuid?.() !== 0) return "only root may create namespaces";
  if (!existsSync(SYSTEMD)) return `${SYSTEMD} is not installed`;
  const folder = mkdtempSync(join(tmpdir(), "svcm-namespaces-"));
  const script = `set -e; mount -t tmpfs tmpfs "$1"; mkdir "$1/u" "$1/w" "$1/r" "$1/c"
    mount -t overlay overlay -o "lowerdir=/,upperdir=$1/u,workdir=$1/w" "$1/r"
    mount -t cgroup2 none "$1/c"; mkdir "$1/c/svcm-try-$$"; rmdir "$1/c/svcm-try-$$"
    for program in ip ss setpriv nsenter useradd dbus-daemon pgrep curl; do
      command -v $program >/dev/null || { echo "$program is not installed" >&2; exit 1; }
    done`;
  try {
    execFileSync("unshare", ["--mount", "--propagation", "private", "sh", "-c", script, "sh", folder], {
      stdio: "pipe",
    });
    return undefined;
  } catch (error) {
    return `it is refused: ${String((error as { stderr?: unknown }).stderr).trim()}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function startMachine(): Promise<Machine> {
  const folder = mkdtempSync(join(tmpdir(), "svcm-machine-"));
  const outer = spawn(
    "unshare",
    [
      "--mount",
      "--propagation",
      "private",
      "sh",
      join(scripts, "outer.sh"),
      folder,
      checkoutFolder,
      join(scripts, "init.sh"),
    ],
    { stdio: ["ignore", "inherit", "inherit"] },
  );
  const ended = new Promise<void>((resolve) => outer.once("exit", () => resolve()));
  const machine: Machine = {
    run: (command, user) => runInside(outer, command, user),
    async reboot() {
      const before = firstProcess(outer);
      // A command inside that still runs would be stopped with the machine, and hold its namespaces.
      await machine.run("setsid -f systemctl reboot").catch(() => undefined);
      while (firstProcess(outer) === before || firstProcess(outer) === undefined) await pause();
      await waitUntilUp(machine);
    },
    async end() {
      const init = firstProcess(outer);
      if (init !== undefined) process.kill(init, "SIGKILL");
      outer.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await waitUntilUp(machine);
  return machine;
}

async function waitUntilUp(machine: Machine): Promise<void> {
  for (;;) {
    const { out } = await machine.run("systemctl is-system-running --wait").catch(() => ({ out: "" }));
    if (/^(?:running|degraded)$/.test(out.trim())) return;
    await pause();
  }
}

/** The child of `unshare`, a grandchild of the loop. */
function firstProcess(outer: ChildProcess): number | undefined {
  const unshare = childrenOf(outer.pid ?? 0).find((pid) => nameOf(pid) === "unshare");
  const init = unshare === undefined ? undefined : childrenOf(unshare)[0];
  return init !== undefined && nameOf(init) === "systemd" ? init : undefined;
}

function nameOf(pid: number): string {
  return read(`/proc/${pid}/comm`).trim();
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function runInside(outer: ChildProcess, command: string, user?: string): Promise<{ code: number; out: string }> {
  const init = firstProcess(outer);
  if (init === undefined) return Promise.reject(new Error("The machine does not run."));
  const home = user === undefined ? "/root" : `/home/${user}`;
  const env = ["env", "-i", `PATH=${PATH}`, `HOME=${home}`, "LANG=C.UTF-8"];
  const as = user === undefined ? [] : ["setpriv", "--reuid", user, "--regid", user, "--init-groups"];
  const runtime = user === undefined ? "" : 'export XDG_RUNTIME_DIR="/run/user/$(id -u)"; ';
  const words = [
    "-t",
    String(init),
    "-m",
    "-u",
    "-i",
    "-p",
    "-n",
    "-C",
    "--",
    ...env,
    ...as,
    "sh",
    "-c",
    `cd; ${runtime}${command}`,
  ];
  return new Promise((resolve) => {
    execFile("nsenter", words, { timeout: COMMAND_TIMEOUT_MS, killSignal: "SIGKILL" }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
      resolve({ code, out: `${stdout}${stderr}` });
    });
  });
}
