import type { Ports } from "../ports/index.ts";
import { journalsOf, leftBy, type Left } from "./release.ts";

/** The apps as the last apply left them. @throws {SvcmError} PM2_FAILED with the code `PM2_HOME_UNUSABLE` */
export async function leftNow({ releases }: Pick<Ports, "releases">): Promise<Left> {
  return leftBy(journalsOf(await releases.list()));
}
