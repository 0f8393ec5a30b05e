/** Facts of a Linux machine, from the texts of its files. */

/** Of `/etc/os-release`, for example `Debian GNU/Linux 12`. */
export function parseOsRelease(text: string): string {
  const values = new Map(
    Array.from(text.matchAll(/^(\w+)=["']?(.*?)["']?$/gm), ({ 1: name = "", 2: value = "" }) => [name, value]),
  );
  return [values.get("NAME"), values.get("VERSION_ID")].filter(Boolean).join(" ");
}

export interface Mount {
  readonly path: string;
  readonly type: string;
}

/** Of `/proc/self/mounts`: each disk of this machine once, at its shortest path. A disconnected network disk never answers. */
export function parseMounts(text: string): Mount[] {
  const disks = new Map<string, Mount>();
  for (const line of text.split("\n")) {
    const [device = "", escaped = "", type = ""] = line.split(" ");
    if (type === "squashfs" || (!device.startsWith("/") && type !== "zfs")) continue;
    const path = escaped.replaceAll(/\\(\d{3})/g, (_, octal: string) =>
      String.fromCodePoint(Number.parseInt(octal, 8)),
    );
    const known = disks.get(device);
    if (known === undefined || path.length < known.path.length) disks.set(device, { path, type });
  }
  return [...disks.values()];
}

export interface HypervisorSigns {
  readonly clockSources: string;
  /** The maker and the name of the machine, as its firmware says them. */
  readonly firmware: string;
  readonly cpuinfo: string;
}

const NAMES: readonly (readonly [name: string, sign: RegExp])[] = [
  ["KVM", /kvm-clock/],
  ["Hyper-V", /hyperv|Microsoft Corporation Virtual Machine/],
  ["Xen", /\bxen\b|HVM domU/i],
  ["VMware", /VMware/i],
  ["VirtualBox", /VirtualBox|innotek/i],
  ["Parallels", /Parallels/i],
  ["Bochs", /Bochs/i],
  ["QEMU", /QEMU/i],
];

/** Null on bare metal, or without a sign. */
export function hypervisorOf({ clockSources, firmware, cpuinfo }: HypervisorSigns): string | null {
  const [name] = NAMES.find(([, sign]) => sign.test(`${clockSources}\n${firmware}`)) ?? [];
  return name ?? (/^flags\s*:.*\bhypervisor\b/m.test(cpuinfo) ? "virtual" : null);
}
