import { findChromium } from "./chromium.ts";

/** Runs before any worker, because two workers would overwrite each other's unpacked browser. */
export default async function setup(): Promise<void> {
  await findChromium();
}
