import { readFile, statfs } from "node:fs/promises";
import { arch, hostname, networkInterfaces, release, uptime, type NetworkInterfaceInfo } from "node:os";
import type { HostSystem } from "../../api/host-system.ts";
import { hypervisorOf, parseMounts, parseOsRelease, type Mount } from "../../metrics/linux-facts.ts";

/** Starts no child process: systeminformation starts about a hundred for the same facts, and waits for some of them. */
export async function askLinux(most: number): Promise<HostSystem> {
  const [osRelease, mounts, virtualization, interfaces] = await Promise.all([
    textOf("/etc/os-release"),
    textOf("/proc/self/mounts"),
    hypervisor(),
    usedInterfaces(),
  ]);
  const sized = await Promise.all(parseMounts(mounts).slice(0, most).map(withSize));
  return {
    hostName: hostname(),
    os: parseOsRelease(osRelease) || "linux",
    kernel: release(),
    architecture: arch(),
    virtualization,
    bootedAt: new Date(Math.round(Date.now() / 1000 - uptime()) * 1000).toISOString(),
    fileSystems: sized.flat(),
    interfaces: interfaces.slice(0, most),
  };
}

function textOf(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}

async function hypervisor(): Promise<string | null> {
  const [clockSources, vendor, product, cpuinfo] = await Promise.all([
    textOf("/sys/devices/system/clocksource/clocksource0/available_clocksource"),
    textOf("/sys/class/dmi/id/sys_vendor"),
    textOf("/sys/class/dmi/id/product_name"),
    textOf("/proc/cpuinfo"),
  ]);
  return hypervisorOf({ clockSources, firmware: `${vendor.trim()} ${product.trim()}`, cpuinfo });
}

/** Nothing for one that this user may not look at. */
async function withSize({ path, type }: Mount): Promise<HostSystem["fileSystems"]> {
  try {
    const { bsize, blocks } = await statfs(path);
    return [{ path, type, totalBytes: bsize * blocks }];
  } catch {
    return [];
  }
}

async function usedInterfaces(): Promise<HostSystem["interfaces"]> {
  const found = Object.entries(networkInterfaces()).map(async ([name, all = []]) => {
    const isDown = (await textOf(`/sys/class/net/${name}/operstate`)).trim() === "down";
    const addresses = isDown ? [] : addressesOf(all);
    return addresses.length === 0 ? [] : [{ name, addresses }];
  });
  return (await Promise.all(found)).flat();
}

/** One of IPv4 and one of IPv6, of which one that only this link knows is the last choice. */
function addressesOf(all: readonly NetworkInterfaceInfo[]): string[] {
  const outer = all.filter(({ internal }) => !internal);
  const of = (family: string) => outer.filter((one) => one.family === family).map(({ address }) => address);
  const [v4, v6] = [of("IPv4"), of("IPv6")];
  return [v4[0], v6.find((address) => !address.startsWith("fe80:")) ?? v6[0]].filter((one) => one !== undefined);
}
