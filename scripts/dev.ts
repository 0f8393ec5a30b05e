/** Options go to `svcm serve`: `npm run dev -- --port 3300`. */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, renameSync, rmSync, watch } from "node:fs";
import { join } from "node:path";
import { buildConsole } from "./build/console.ts";
import { ROOT } from "./build/entries.ts";

const DIST = join(ROOT, "dist");
const CONSOLE = join(DIST, "console");
/** An editor writes several files at once. */
const SETTLE_MS = 100;

let server: ChildProcess | undefined;
let changed = new Set<string>();
let timer: NodeJS.Timeout | undefined;
let busy = Promise.resolve();

await rebuildConsole();
startServer();
for (const folder of ["src", "config"])
  watch(join(ROOT, folder), { recursive: true }, (_, name) => scheduleUpdate(folder, name));
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    server?.kill(signal);
    process.kill(process.pid, signal);
  });
}

function scheduleUpdate(folder: string, name: string | null): void {
  changed.add(join(folder, name ?? ""));
  clearTimeout(timer);
  timer = setTimeout(() => void (busy = busy.then(update)), SETTLE_MS);
}

async function update(): Promise<void> {
  const paths = [...changed];
  changed = new Set();
  // The console shares pure parts of the core.
  if (paths.some((path) => /^src\/(console|core)/.test(path))) await rebuildConsole();
  if (server?.exitCode === null && server.signalCode === null) {
    server.kill();
    await new Promise((resolve) => server?.once("exit", resolve));
  }
  startServer();
}

async function rebuildConsole(): Promise<void> {
  try {
    const next = join(ROOT, "node_modules/.svcm-dev");
    rmSync(next, { recursive: true, force: true });
    await buildConsole(next);
    mkdirSync(DIST, { recursive: true });
    rmSync(CONSOLE, { recursive: true, force: true });
    renameSync(join(next, "console"), CONSOLE);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
  }
}

function startServer(): void {
  const argv = [join(ROOT, "bin/dev.js"), "serve", ...process.argv.slice(2)];
  server = spawn(process.execPath, argv, { cwd: ROOT, stdio: "inherit" });
}
