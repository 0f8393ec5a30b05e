import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { HostSystem } from "../../api/metrics.ts";

export interface SystemQuery {
  readonly system: HostSystem | null;
  readonly settled: Promise<void>;
}

/** systeminformation starts child processes, any of which may hang. */
const TIMEOUT_MS = 1000;
/** A machine that runs containers has a network interface and a file system for each. */
const MAX_ITEMS = 16;
const VIRTUAL = /^(?:tmpfs|devtmpfs|overlay|squashfs|efivarfs|proc|sysfs|none)$/;

export function querySystem(): SystemQuery {
  let result: HostSystem | null = null;
  const reading = readSystem().then(
    (system) => void (result = system),
    () => undefined,
  );
  return {
    get system() {
      return result;
    },
    settled: Promise.race([reading, delay(TIMEOUT_MS, undefined, { ref: false })]),
  };
}

async function readSystem(): Promise<HostSystem> {
  const { fsSize, networkInterfaces, osInfo, system, time } = await import("systeminformation");
  const [os, machine, disks, interfaces] = await Promise.all([osInfo(), system(), fsSize(), networkInterfaces()]);
  const { uptime } = time();
  const list = Array.isArray(interfaces) ? interfaces : [interfaces];
  return {
    hostName: os.hostname || hostname(),
    os: [os.distro, os.release].filter((part) => part !== "" && part !== "unknown").join(" ") || process.platform,
    kernel: os.kernel,
    architecture: os.arch,
    virtualization: machine.virtual ? machine.virtualHost || "virtual" : null,
    bootedAt: uptime > 0 ? new Date(Math.round(Date.now() / 1000 - uptime) * 1000).toISOString() : null,
    fileSystems: disks
      .filter(({ type }) => !VIRTUAL.test(type))
      .slice(0, MAX_ITEMS)
      .map(({ mount, type, size }) => ({ path: mount, type, totalBytes: size })),
    interfaces: list
      .filter(({ internal, operstate, ip4, ip6 }) => !internal && operstate !== "down" && (ip4 || ip6))
      .slice(0, MAX_ITEMS)
      .map(({ iface, ip4, ip6 }) => ({ name: iface, addresses: [ip4, ip6].filter(Boolean) })),
  };
}
