import { createCandidateFinder } from "../../../src/core/logs/files/worker/candidates.ts";
import { createSecretLineFinder } from "../../../src/core/logs/files/worker/secret-lines.ts";
import type { Search } from "../../../src/core/logs/match.ts";
import { createLineScrubber } from "../../../src/core/logs/line.ts";

export const SECRET = "canary-1234567890";
export const scrub = createLineScrubber([SECRET]);
export const findSecretLines = createSecretLineFinder(scrub.known);

/** True if the filter over the bytes of a file keeps the line, among others. */
export function isCandidate(line: string, search: Search): boolean {
  const find = createCandidateFinder(search, findSecretLines);
  const bytes = Buffer.from(`before\n${line}\nafter\n`);
  const [from, to] = ["before\n".length, Buffer.byteLength(`before\n${line}`)];
  return find === undefined || [...find(bytes)].some((range) => range.from === from && range.to === to);
}
