/** A recorder that is killed at any moment loses at most the last step, and the next one starts immediately. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeHistoryFiles } from "../../src/core/history/history-files.node.ts";
import { parseStep } from "../../src/core/history/step.ts";
import { commandLine, start } from "../support/child.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const ROUNDS = 100;

test("none of a hundred killed recorders loses a step that was on disk", { timeout: 600_000 }, async () => {
  const folder = join(temporaryFolder(), "history");
  const acknowledged = new Set<number>();
  let [next, cutOff] = [0, 0];
  for (let round = 0; round < ROUNDS || acknowledged.size <= ROUNDS; round += 1) {
    const child = start(commandLine("record-history", folder, String(next)));
    const first = await child.line();
    // From the middle of the first step to several closed hours.
    const timer = setTimeout(() => child.kill(), (round * 37) % 60);
    const lines = [first ?? "", ...(await child.rest())];
    clearTimeout(timer);
    expect((await child.ended).signal).toBe("SIGKILL");
    for (const line of lines) if (line.startsWith("done ")) acknowledged.add(Number(line.slice(5)));
    const begun = lines.filter((line) => line.startsWith("begin ")).map((line) => Number(line.slice(6)));
    next = Math.max(next, ...begun) + 1;
    if (readdirSync(folder).some((name) => name.includes("svcm-new"))) cutOff += 1;
  }
  const files = nodeHistoryFiles(folder);
  const found = new Set<number>();
  let torn = 0;
  for (const { name, kind } of await files.list()) {
    const { lines, damage } = await files.read(name);
    expect(damage).toBeUndefined();
    if (kind === "minutes") continue;
    for (const line of lines) {
      const step = parseStep(line);
      if (step !== undefined) found.add((step.atMs - Date.UTC(2030, 0, 1)) / 600_000);
      else if (!line.startsWith('{"columns"')) torn += 1;
    }
  }
  expect([...acknowledged].filter((number) => !found.has(number))).toEqual([]);
  expect(acknowledged.size).toBeGreaterThan(ROUNDS);
  console.log(
    `history: ${acknowledged.size} steps, ${torn} torn lines, ${cutOff} rounds cut off while an hour was closed`,
  );
});
