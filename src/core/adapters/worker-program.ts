import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { Worker, type WorkerOptions } from "node:worker_threads";

export function startProgram(program: URL, options: WorkerOptions): Worker {
  const isSource = program.pathname.endsWith(".ts");
  return new Worker(isSource ? fromSource(program) : program, { ...options, eval: isSource });
}

function fromSource(program: URL): string {
  const tsx = JSON.stringify(createRequire(import.meta.url).resolve("tsx/cjs/api"));
  const path = JSON.stringify(fileURLToPath(program));
  return `require(${tsx}).require(${path}, ${path})`;
}
