/** Rotates a log, and is killed after the step with that number. Prints the name of each step. */
import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import { nodeLogCare } from "../../../src/core/logs/care/log-care.node.ts";
import type { CutWay } from "../../../src/core/api/names.ts";

const [path = "", pm2Home = "", lastStep = "0", way = "collapse"] = process.argv.slice(2);
let count = 0;
const care = nodeLogCare({
  pm2Home,
  folders: [dirname(path)],
  nowMs: () => Date.parse("2026-11-27T08:00:00Z"),
  onStep(step) {
    process.stdout.write(`${step}\n`);
    if ((count += 1) === Number(lastStep)) process.kill(process.pid, "SIGKILL");
  },
});
const { dev, ino, size: bytes, mtimeMs: modifiedMs } = lstatSync(path);
const common = { app: "api", stream: "out", rotated: [], writers: [], watchedBy: [], earlier: null } as const;
await care.rotate(
  { path, dev, ino, bytes, modifiedMs, ...common, problem: null, isUnfinished: false },
  { way: way as CutWay, maxBytes: 100 * 1024, keep: 100, compress: true },
);
