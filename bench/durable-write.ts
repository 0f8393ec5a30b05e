/** The cost of a safe write, as a ratio to the bare system calls of a durable write of the same small env file. */
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { allowedFolders } from "../src/core/files/read.ts";
import { nodeFiles } from "../src/core/files/index.ts";
import { replace } from "../src/core/files/write.ts";

const ROUNDS = Number(process.argv[2] ?? 400);
const WARM_UP = 50;
const GOAL = 1.3;
const CONTENTS = [0, 1].map((version) =>
  Buffer.from(Array.from({ length: 64 }, (_, line) => `SVC_KEY_${line}=value-${version}\n`).join("")),
);

const folder = fs.mkdtempSync(join(process.env["BENCH_DIR"] ?? tmpdir(), "svcm-bench-"));
const contentOf = (round: number) => CONTENTS[round % 2] as Buffer;
const env = (name: string) => {
  const path = join(folder, name, ".env.dev");
  fs.mkdirSync(dirname(path));
  fs.writeFileSync(path, contentOf(0));
  return path;
};

const files = nodeFiles({ allowedFolders: [folder] });
const unlocked: Parameters<typeof replace>[0] = {
  folders: allowedFolders([folder]),
  locks: { withLock: (_file, work) => work(`bench-${process.pid}`) },
  maxBytes: 2 ** 20,
};

const paths = { bare: env("bare"), again: env("again"), unlocked: env("unlocked"), whole: env("whole") };
const contenders: Record<keyof typeof paths, (round: number) => unknown> = {
  bare: (round) => bareWrite(paths.bare, contentOf(round)),
  again: (round) => bareWrite(paths.again, contentOf(round)),
  unlocked: (round) => replace(unlocked, paths.unlocked, () => contentOf(round)),
  whole: (round) => files.replace(paths.whole, () => contentOf(round)),
};
type Name = keyof typeof contenders;

function bareWrite(path: string, bytes: Uint8Array): void {
  const temporary = `${path}.tmp`;
  const file = fs.openSync(temporary, "wx", 0o600);
  fs.writeSync(file, bytes);
  fs.fsyncSync(file);
  fs.closeSync(file);
  fs.renameSync(temporary, path);
  const parent = fs.openSync(dirname(path), "r");
  fs.fsyncSync(parent);
  fs.closeSync(parent);
}

async function timed(name: Name, round: number): Promise<number> {
  const start = performance.now();
  await contenders[name](round);
  return performance.now() - start;
}

/** The order alternates, so that no writer always follows the same one. */
async function race(): Promise<Record<Name, number[]>> {
  const names = Object.keys(contenders) as Name[];
  const times: Record<Name, number[]> = { bare: [], again: [], unlocked: [], whole: [] };
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(turn + round + WARM_UP) % names.length] as Name;
      const time = await timed(name, round + WARM_UP);
      if (round >= 0) times[name].push(time);
    }
  }
  return times;
}

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? NaN;

try {
  const times = await race();
  const ratio = (name: Name) => median(times[name].map((time, round) => time / (times.bare[round] ?? NaN))).toFixed(2);
  const ms = (name: Name) => `${median(times[name]).toFixed(3)} ms`;
  console.log(
    `durable write: ${ratio("whole")} x bare system calls, goal ${GOAL}` +
      ` (without lock ${ratio("unlocked")}, bare against itself ${ratio("again")};` +
      ` medians ${ms("whole")} and ${ms("bare")}, ${ROUNDS} rounds)`,
  );
} finally {
  fs.rmSync(folder, { recursive: true });
}
