/** A watcher starts the app again after each change, and its own process stays. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { makeScene, untilClear, write } from "./scenes.ts";

/** Each start adds a line, and loads the module. */
const SERVER = `require("./mod.js"); require("node:fs").appendFileSync(process.env.STARTS, "x\\n"); setInterval(() => {}, 1e6);`;

test.each([
  ["node", ["--watch", "server.js"]],
  ["sh", ["-c", "node --watch server.js; true"]],
])("an app that %s %j runs has the code of its last start", async (command, args) => {
  const scene = makeScene(false, { "server.js": SERVER, "mod.js": "1" });
  const starts = join(scene.home, "starts");
  const request = await scene.start();
  const startedAt = Date.now();
  const watcher = spawn(command, args, {
    cwd: scene.root,
    stdio: "ignore",
    detached: true,
    env: { ...process.env, STARTS: starts },
  });
  onTestFinished(() => void process.kill(-watcher.pid!, "SIGKILL"));
  const watched = { ...request, processes: [{ pmId: 0, pid: watcher.pid!, startedAt, versioning: null }] };
  const untilStarted = (count: number): Promise<void> =>
    vi.waitFor(
      () => expect(existsSync(starts) ? readFileSync(starts, "utf8").length : 0).toBeGreaterThanOrEqual(2 * count),
      20_000,
    );
  await untilStarted(1);
  expect(await scene.verdict(watched)).toBe("same");
  await untilClear();
  write(scene.root, { "mod.js": "2" });
  await untilStarted(2);
  expect(await scene.verdict(watched)).toBe("same");
  await untilClear();
  write(scene.root, { "unwatched.js": "2" });
  expect(await scene.verdict(watched)).toBe("changed stale: unwatched.js");
});
