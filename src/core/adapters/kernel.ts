import { closeSync, constants, openSync, readSync } from "node:fs";
import type { Kernel } from "../events/sightings.ts";
import { isRefusal, readText } from "./files/system.ts";

const RECORD_BYTES = 8192;
const MOST_RECORDS = 50_000;
const KILLED = /(?:^|[^\w])(?:Out of memory|Memory cgroup out of memory)[^\n]*Killed process (\d+)/i;

/** On Linux every user can read the counter, but often only root can read the log. */
export async function kernelFacts(): Promise<Kernel> {
  const [stat, vmstat] = await Promise.all(
    ["/proc/stat", "/proc/vmstat"].map((path) => readText(path).catch(() => "")),
  );
  const booted = /^btime (\d+)$/m.exec(stat ?? "")?.[1];
  const kills = /^oom_kill (\d+)$/m.exec(vmstat ?? "")?.[1];
  const bootedMs = booted === undefined ? undefined : Number(booted) * 1000;
  const hasKills = bootedMs !== undefined && kills !== undefined && kills !== "0";
  return {
    bootedMs,
    kills: kills === undefined ? undefined : Number(kills),
    logged: hasKills ? killsInLog(bootedMs) : undefined,
  };
}

/** Each read returns one record: `priority,number,microseconds,flags;text`. */
function killsInLog(bootedMs: number): Kernel["logged"] {
  let fd: number;
  try {
    fd = openSync("/dev/kmsg", constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const buffer = Buffer.allocUnsafe(RECORD_BYTES);
    const kills: { atMs: number; pid: number }[] = [];
    for (let count = 0; count < MOST_RECORDS; count += 1) {
      const record = nextRecord(fd, buffer);
      if (record === undefined) break;
      const [, microseconds, text = ""] = /^\d+,\d+,(\d+),[^;]*;([^\n]*)/.exec(record) ?? [];
      const pid = KILLED.exec(text)?.[1];
      if (pid !== undefined) kills.push({ atMs: bootedMs + Number(microseconds) / 1000, pid: Number(pid) });
    }
    return kills;
  } finally {
    closeSync(fd);
  }
}

/** A record that was overwritten before it was read is an empty text. */
function nextRecord(fd: number, buffer: Buffer): string | undefined {
  try {
    const length = readSync(fd, buffer);
    return length === 0 ? undefined : buffer.toString("utf8", 0, length);
  } catch (error) {
    return isRefusal(error, "EPIPE") ? "" : undefined;
  }
}
