import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { Worker, type WorkerOptions } from "node:worker_threads";

const MAX_MEGABYTES = 512;

export function startWorker(program: URL, options: Pick<WorkerOptions, "env" | "workerData">): Worker {
  const isSource = program.pathname.endsWith(".ts");
  return new Worker(isSource ? loaderFor(program) : program, {
    ...options,
    eval: isSource,
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEGABYTES },
    // Keeps the worker's output out of ours. Consuming it would keep the process alive.
    stdout: true,
    stderr: true,
  });
}

function loaderFor(program: URL): string {
  const tsx = JSON.stringify(createRequire(import.meta.url).resolve("tsx/cjs/api"));
  const path = JSON.stringify(fileURLToPath(program));
  return `require(${tsx}).require(${path}, ${path})`;
}
