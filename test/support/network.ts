/** A network on this machine with members that can be cut off: kernel namespaces behind a bridge. */
import { execFileSync, spawnSync } from "node:child_process";
import { onTestFinished } from "vitest";
import { isLinux, isRoot } from "./machine.ts";

export interface Member {
  /** The command prefix that runs a program in it. */
  readonly prefix: readonly string[];
  /** From now on, every packet from and to it is lost. Connections stay open. */
  cut(): void;
  heal(): void;
}

export interface Network {
  /** The address of the machine, which all members can reach. */
  readonly host: string;
  readonly member: () => Member;
}

export const canSeparate = isRoot && isLinux && tryNetwork();

function tryNetwork(): boolean {
  const name = `svcm-try-${process.pid}`;
  if (spawnSync("ip", ["netns", "add", name], { stdio: "ignore" }).status !== 0) return false;
  const isBridged = spawnSync("ip", ["-n", name, "link", "add", "try0", "type", "bridge"], { stdio: "ignore" });
  ip("netns", "del", name);
  return isBridged.status === 0;
}

export function network(): Network {
  const id = `s${process.pid}`;
  const subnet = `10.231.${process.pid % 256}`;
  const bridge = `${id}b`;
  ip("link", "add", bridge, "type", "bridge");
  onTestFinished(() => ip("link", "del", bridge));
  ip("addr", "add", `${subnet}.1/24`, "dev", bridge);
  ip("link", "set", bridge, "up");
  let count = 0;
  return {
    host: `${subnet}.1`,
    member: () => {
      count += 1;
      const [name, outer, inner] = [`${id}-${count}`, `${id}o${count}`, `${id}i${count}`];
      ip("netns", "add", name);
      onTestFinished(() => {
        // The kernel takes a deleted namespace apart later, and until then the next test cannot have the name.
        ip("link", "del", outer);
        ip("netns", "del", name);
      });
      ip("link", "add", outer, "type", "veth", "peer", "name", inner, "netns", name);
      ip("link", "set", outer, "master", bridge, "up");
      ip("-n", name, "addr", "add", `${subnet}.${count + 1}/24`, "dev", inner);
      for (const device of [inner, "lo"]) ip("-n", name, "link", "set", device, "up");
      return {
        prefix: ["ip", "netns", "exec", name],
        cut: () => ip("link", "set", outer, "down"),
        heal: () => ip("link", "set", outer, "up"),
      };
    },
  };
}

function ip(...args: readonly string[]): void {
  execFileSync("ip", args, { stdio: ["ignore", "ignore", "pipe"] });
}
