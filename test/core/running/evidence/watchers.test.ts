/** A watcher starts the app again after each change, and its own process stays. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { makeScene, untilClear, write } from "./scenes.ts";

/** Each start adds a line, and loads the module. */
const SERVER = `require("./mod.js"); require("node:fs").appendFileSync(process.env.STARTS, "x\\n"); setInterval(() => {}, 1e6);`;

/** Named as a server of Python, of which each start is a child process. */
const RELOADER = `const { spawn } = require("node:child_process"), { watchFile } = require("node:fs");
const start = () => spawn("node", ["server.js"]);
let app = start();
watchFile("mod.js", { interval: 20 }, () => { app.kill("SIGKILL"); setTimeout(() => { app = start(); }, 100); });`;

test.each([
  ["node", ["--watch", "server.js"]],
  ["sh", ["-c", "node --watch server.js; true"]],
  ["node", ["uvicorn", "app:app", "--reload"]],
])("an app that %s %j runs has the code of its last start", async (command, args) => {
  const scene = makeScene(false, { "server.js": SERVER, "mod.js": "1", uvicorn: RELOADER });
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

test("an app with an option of that name is not a watcher", async () => {
  const text = `const { spawn } = require("node:child_process"); const { existsSync, writeFileSync } = require("node:fs");
const until = setInterval(() => {
  if (!existsSync(process.env.STARTS + ".go")) return;
  clearInterval(until);
  spawn("sleep", ["1000000"]).on("spawn", () => writeFileSync(process.env.STARTS, "x"));
}, 10);`;
  const scene = makeScene(false, { "server.js": text });
  const starts = join(scene.home, "starts");
  const request = await scene.start();
  const startedAt = Date.now();
  const env = { ...process.env, STARTS: starts };
  const app = spawn("node", ["server.js", "--watch"], { cwd: scene.root, stdio: "ignore", detached: true, env });
  onTestFinished(() => void process.kill(-app.pid!, "SIGKILL"));
  const own = { ...request, processes: [{ pmId: 0, pid: app.pid!, startedAt, versioning: null }] };
  await untilClear();
  write(scene.root, { "lib.js": "2" });
  await untilClear();
  writeFileSync(`${starts}.go`, "");
  await vi.waitFor(() => expect(existsSync(starts)).toBe(true), 20_000);
  expect(await scene.verdict(own)).toBe("changed stale: lib.js");
});
