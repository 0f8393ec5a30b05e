/** Runs two checks at a time, because most of them use one core. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import pjson from "../package.json" with { type: "json" };

const ROOT = join(import.meta.dirname, "..");
const CONCURRENCY = 2;
/** The slowest checks start first. */
const SLOWEST = ["check:lint", "check:types", "check:backend"];

const checks = Object.keys(pjson.scripts).filter((name) => name.startsWith("check:") && name !== "check:static");
const waiting = [...SLOWEST, ...checks.filter((name) => !SLOWEST.includes(name))];
const failed: string[] = [];

await Promise.all(Array.from({ length: CONCURRENCY }, runNext));
if (failed.length > 0) {
  process.stdout.write(`Failed: ${failed.join(", ")}\n`);
  process.exitCode = 1;
}

async function runNext(): Promise<void> {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const { isPassed, output } = await run(name);
    process.stdout.write(`${isPassed ? "✓" : "✗"} ${name}\n${output}`);
    if (!isPassed) failed.push(name);
  }
}

/** Prints the output at the end, so that two checks do not mix theirs. */
function run(name: string): Promise<{ isPassed: boolean; output: string }> {
  return new Promise((resolve) => {
    const options = { cwd: ROOT, maxBuffer: 2 ** 26 };
    execFile("npm", ["run", "--silent", name], options, (error, stdout, stderr) =>
      resolve({ isPassed: error === null, output: stdout + stderr }),
    );
  });
}
