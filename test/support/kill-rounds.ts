import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { nodeFiles } from "../../src/core/files/index.ts";
import { commandLine, start } from "./child.ts";
import { randomNumbers } from "./random.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { contentOf, versionOf } from "./versions.ts";

/**
 * In each round a process writes successive versions and is killed at a moment that the seed decides. At every moment the
 * file is a complete version, no acknowledged version is lost, and the next process can write immediately. Runs at
 * least this many rounds, and until one has interrupted a write. Returns the number of those that did.
 */
export async function killRounds(count: number, seed: number): Promise<number> {
  const path = join(temporaryFolder(), ".env.dev");
  const random = randomNumbers(seed);
  let cutOff = 0;
  writeFileSync(path, contentOf(0));
  for (let round = 0; round < count || cutOff === 0; round++) {
    const { acknowledged, begun } = await writeUntilKilled(path, random() * 15);
    const version = versionOf(readFileSync(path));
    expect(version).toBeGreaterThanOrEqual(acknowledged);
    expect(version).toBeLessThanOrEqual(begun);
    if (readdirSync(dirname(path)).length > 1) cutOff++;
    await writeAtOnce(path, version + 1);
    expect(readdirSync(dirname(path))).toEqual([".env.dev"]);
  }
  return cutOff;
}

async function writeUntilKilled(path: string, afterMs: number) {
  const child = start(commandLine("write-versions", path));
  const first = await child.line();
  const timer = setTimeout(() => child.kill(), afterMs);
  const lines = [first ?? "", ...(await child.rest())];
  clearTimeout(timer);
  expect((await child.ended).signal).toBe("SIGKILL");
  const last = (word: string) => Number(lines.findLast((line) => line.startsWith(word))?.split(" ")[1] ?? 0);
  return { acknowledged: last("done"), begun: last("begin") };
}

/** Does not wait for a lock, because a killed process no longer holds one. */
async function writeAtOnce(path: string, version: number): Promise<void> {
  const files = nodeFiles({ allowedFolders: [dirname(path)], lockTimeoutMs: 0 });
  await files.replace(path, () => contentOf(version));
  expect(versionOf(readFileSync(path))).toBe(version);
}
