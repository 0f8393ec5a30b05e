import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { freePort } from "./free-port.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Debian's package is named prometheus. */
export const hasPrometheus = spawnSync("prometheus", ["--version"]).status === 0;

export interface RunningPrometheus {
  readonly url: string;
  /** The first value of an instant query. */
  readonly value: (query: string) => Promise<string | undefined>;
  /** An answer of its API. */
  readonly get: (path: string) => Promise<any>; // oxlint-disable-line typescript/no-explicit-any -- what a test expects of it says what it is
}

/** @param past samples with their times, in OpenMetrics text */
export async function prometheus(config: object, past?: string): Promise<RunningPrometheus> {
  const [folder, port] = [temporaryFolder(), await freePort()];
  const data = join(folder, "data");
  mkdirSync(data);
  writeFileSync(join(folder, "prometheus.yml"), JSON.stringify(config));
  if (past !== undefined) {
    writeFileSync(join(folder, "past.txt"), past);
    const args = ["tsdb", "create-blocks-from", "openmetrics", join(folder, "past.txt"), data];
    const { status, stderr } = spawnSync("promtool", args, { encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
  }
  const child = spawn(
    "prometheus",
    [
      `--config.file=${join(folder, "prometheus.yml")}`,
      `--storage.tsdb.path=${data}`,
      "--storage.tsdb.retention.time=1y",
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  const ended = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  for await (const line of createInterface({ input: child.stderr }))
    if (line.includes("Server is ready to receive web requests")) break;
  child.stderr.resume();
  const url = `http://127.0.0.1:${port}`;
  const get: RunningPrometheus["get"] = async (path) => (await fetch(`${url}${path}`)).json();
  return {
    url,
    get,
    async value(query) {
      const { data: found } = await get(`/api/v1/query?query=${encodeURIComponent(query)}`);
      return found.result[0]?.value[1];
    },
  };
}
