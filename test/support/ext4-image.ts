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
 * Mounts a new ext4 disk for the rest of the test. It is neither flushed periodically nor because of a rename, so the
 * disk contains only synced data.
 */
export function ext4Image(folder: string, at = join(folder, "disk")): Image {
  const file = join(folder, "disk.img");
  execFileSync("truncate", ["-s", "8M", file]);
  execFileSync("mkfs.ext4", ["-q", "-O", "^has_journal", "-E", "lazy_itable_init=0", file]);
  execFileSync("tune2fs", ["-j", "-J", "size=1", file], { stdio: "ignore" });
  mount(at, "-o", "loop,noauto_da_alloc,commit=3600", file);
  return { file, at };
}

/**
 * Returns the disk as a power cut at this moment would leave it. The image file lacks the data that the file system still
 * has in memory. Mounting the copy replays its journal.
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
