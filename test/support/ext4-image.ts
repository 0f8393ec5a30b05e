import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { mount, unmount } from "./machine.ts";

/** A disk in a file. */
export interface Image {
  readonly file: string;
  readonly at: string;
}

/**
 * Mounts a new ext4 disk for the rest of the test. Two of its comforts are off, so that nothing is
 * on the disk but what was asked for: writing on its own every few seconds, and writing the data of
 * a file early because it is renamed over another one.
 */
export function ext4Image(folder: string): Image {
  const file = join(folder, "disk.img");
  const at = join(folder, "disk");
  execFileSync("truncate", ["-s", "8M", file]);
  execFileSync("mkfs.ext4", ["-q", "-O", "^has_journal", "-E", "lazy_itable_init=0", file]);
  execFileSync("tune2fs", ["-j", "-J", "size=1", file], { stdio: "ignore" });
  mount(at, "-o", "loop,noauto_da_alloc,commit=3600", file);
  return { file, at };
}

/**
 * The disk as a power cut at this moment would leave it. The image file holds what the file system
 * gave to its disk; what it still had in memory is not in it. Mounting the copy replays its journal.
 */
export async function afterPowerCut<T>(folder: string, image: Image, look: (at: string) => Promise<T>): Promise<T> {
  const copy = mkdtempSync(join(folder, "cut-"));
  const [file, at] = [join(copy, "disk.img"), join(copy, "disk")];
  copyFileSync(image.file, file);
  mkdirSync(at);
  execFileSync("mount", ["-o", "loop", file, at]);
  try {
    return await look(at);
  } finally {
    unmount(at);
  }
}
