/**
 * Wall-clock time of a cold start as a ratio to `node -e 0` of the same round, the median of many
 * rounds. `node --import tsx bench/cold-start.ts [rounds]`
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { median } from "./median.ts";

const RUN = join(import.meta.dirname, "../bin/run.js");
const ENV_FILE = "apps/backend-template/src/config/.env.dev";
const WARM_UP_ROUNDS = 2;

const CASES = [
  { argv: ["--version"], goal: 1.2 },
  { argv: ["--help"], goal: 1.2 },
  { argv: ["env", "get"], goal: 1.7 },
  { argv: ["env", "get", "--json"], goal: 1.7 },
];

const rounds = Number(process.argv[2] ?? 40);
const home = mkdtempSync(join(tmpdir(), "svcm-bench-"));
try {
  mkdirSync(dirname(join(home, ENV_FILE)), { recursive: true });
  writeFileSync(join(home, ENV_FILE), "SVC_HTTP_FRAMEWORK=express\nSVC_REALTIME_API=no\n");
  console.log(`Node ${process.versions.node}, ${rounds} rounds, ratio to node -e 0`);
  for (const { argv, goal, ratio } of measure()) {
    console.log(
      `svcm ${argv.join(" ").padEnd(16)} ${ratio.toFixed(2)}  goal ${goal.toFixed(1)}  ${ratio <= goal ? "met" : "missed"}`,
    );
  }
} finally {
  rmSync(home, { recursive: true });
}

function measure() {
  const ratios = CASES.map((): number[] => []);
  for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
    const floor = milliseconds(["-e", "0"]);
    for (const [index, { argv }] of CASES.entries()) {
      const ratio = milliseconds([RUN, ...argv]) / floor;
      if (round >= 0) ratios[index]?.push(ratio);
    }
  }
  return CASES.map((testCase, index) => ({ ...testCase, ratio: median(ratios[index] ?? []) }));
}

function milliseconds(argv: string[]): number {
  const start = process.hrtime.bigint();
  const { status, stderr } = spawnSync(process.execPath, argv, {
    cwd: home,
    env: { PATH: process.env["PATH"], HOME: home },
  });
  const elapsed = process.hrtime.bigint() - start;
  if (status !== 0) throw new Error(`${argv.join(" ")} failed: ${String(stderr)}`);
  return Number(elapsed) / 1e6;
}
