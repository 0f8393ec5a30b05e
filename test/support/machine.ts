/** The capabilities of this machine: only a real kernel produces some failures. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { commandLine } from "./child.ts";

export const isRoot = process.getuid?.() === 0;
export const isLinux = process.platform === "linux";
export const canMount = isRoot && isLinux && tryMount();
export const canLoopMount = canMount && succeeds("mkfs.ext4", "-V") && succeeds("losetup", "--find");
export const canInject = isLinux && succeeds("strace", "-e", "trace=none", "true");
export const canUnshare = isRoot && isLinux && succeeds("unshare", "--pid", "--fork", "true");

export const NOBODY = 65_534;
export const asNobody = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];
/** The other user must be able to run the scripts of the tests. */
export const canBeNobody = isRoot && isLinux && canRunAsNobody();

function succeeds(program: string, ...args: string[]): boolean {
  return spawnSync(program, args, { stdio: "ignore" }).status === 0;
}

function canRunAsNobody(): boolean {
  const [program = "", ...args] = [...asNobody, ...commandLine("nothing")];
  return succeeds(program, ...args);
}

function tryMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "svcm-mount-"));
  const isMounted = succeeds("mount", "-t", "tmpfs", "tmpfs", folder);
  if (isMounted) execFileSync("umount", [folder]);
  rmdirSync(folder);
  return isMounted;
}

/** Mounts for the rest of the test. If the unmount fails as busy, a file was left open. */
export function mount(at: string, ...args: string[]): void {
  mountUntil(onTestFinished, at, ...args);
}

/** @param onEnd receives the unmount */
export function mountUntil(onEnd: (undo: () => void) => void, at: string, ...args: string[]): void {
  mkdirSync(at, { recursive: true });
  execFileSync("mount", [...args, at]);
  onEnd(() => unmount(at));
}

export function unmount(at: string): void {
  execFileSync("umount", [at]);
}
