import { statSync } from "node:fs";
import { join } from "node:path";
import { createLineScrubber, type LineScrubber } from "../../../logs/scrub.ts";
import { askDaemon } from "../../pm2/daemon.ts";
import type { Pm2Process } from "../../pm2/worker/pm2-api.ts";
import { environmentSecrets } from "../../pm2/worker/process-record.ts";
import { LogFailure, type WorkerData } from "../protocol.ts";
import { targetsOf, type Target } from "./targets.ts";

const PATIENCE_MS = 5000;
/** PM2 may be configured not to write its own log. */
const FRESH_MS = 10_000;

export class World {
  targets: readonly Target[] = [];
  names: ReadonlySet<string> = new Set();
  scrub: LineScrubber = createLineScrubber([]);
  readonly #data: WorkerData;
  readonly #known = new Set<string>();
  #stamp = "";
  #askedAtMs = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;

  constructor(data: WorkerData) {
    this.#data = data;
  }

  get home(): string {
    return this.#data.home;
  }

  /** A log may contain secrets that a process had earlier. */
  know(secrets: readonly string[]): void {
    const before = this.#known.size;
    for (const secret of secrets) this.#known.add(secret);
    if (this.#known.size > before) this.scrub = createLineScrubber([...this.#known]);
  }

  /** @throws {LogFailure} PM2_FAILED */
  async refresh(): Promise<void> {
    // PM2 writes to its own log before a process runs.
    const stamp = stampOf(join(this.#data.home, "pm2.log"));
    if (stamp === this.#stamp && performance.now() - this.#askedAtMs < FRESH_MS) return;
    this.#asking ??= this.#ask(stamp).finally(() => (this.#asking = undefined));
    await this.#asking;
  }

  async #ask(stamp: string): Promise<void> {
    const list = await askDaemon(join(this.#data.home, "rpc.sock"), "getMonitorData", PATIENCE_MS);
    if (!Array.isArray(list))
      throw new LogFailure("PM2_FAILED", "PM2_TIMEOUT", "PM2 did not return its list of processes.");
    const processes = (list as Pm2Process[]).filter(({ pm2_env: env }) => !env["pmx_module"]);
    const { home, folders } = this.#data;
    this.#stamp = stamp;
    this.#askedAtMs = performance.now();
    this.names = new Set(processes.map(({ name }) => String(name)));
    this.targets = targetsOf(processes, home, folders, statSync(home).uid);
    this.know(environmentSecrets(processes));
  }
}

function stampOf(path: string): string {
  try {
    const { size, mtimeMs, ino } = statSync(path);
    return `${size}.${mtimeMs}.${ino}`;
  } catch {
    return "";
  }
}
