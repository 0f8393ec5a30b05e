import type { Begun } from "../core/api/rollout-requests.ts";
import type { ApplyFrame } from "../core/api/frames.ts";
import { execute, withProgress, SvcmError, type Caller, type Operation, type Ports } from "../core/index.ts";
import { errorStack } from "../core/words/thrown.ts";
import { withMembers } from "../core/words/record.ts";
import type { ServerLog } from "./log.ts";

/** Applies and rollbacks, which continue when their client disconnects. */
export class Rollouts {
  readonly #ports: Ports;
  readonly #log: ServerLog;
  readonly #listeners = new Set<(frame: ApplyFrame) => void>();
  readonly #running = new Set<Promise<void>>();
  readonly #stop = new AbortController();

  constructor(ports: Ports, log: ServerLog) {
    this.#ports = ports;
    this.#log = log;
  }

  listen(listener: (frame: ApplyFrame) => void, signal: AbortSignal): void {
    this.#listeners.add(listener);
    signal.addEventListener("abort", () => this.#listeners.delete(listener), { once: true });
  }

  /**
   * Resolves when the first step is about to begin, or if there is nothing to do. Later failures are recorded in the
   * release.
   *
   * @throws {SvcmError} the errors of the operation before its first step; SERVICE_BUSY while the server is closing
   */
  start<Input>(operation: Operation<Input, unknown>, input: Input, caller: Caller): Promise<Begun> {
    if (this.#stop.signal.aborted) throw new SvcmError("SERVICE_BUSY", { details: "The server is closing." });
    return new Promise((resolve, reject) => {
      const releases = withProgress(this.#ports.releases, (progress) => {
        resolve({ release: progress.release });
        for (const listener of this.#listeners) listener({ type: "apply", ...progress });
        this.#ports.telemetry.refresh();
      });
      const stoppable = { ...caller, signal: this.#stop.signal };
      const running = execute(operation, withMembers(this.#ports, { releases }), input, stoppable)
        .then(
          () => resolve({ release: null }),
          (error: unknown) => {
            if (!(error instanceof SvcmError)) this.#log.error({ stack: errorStack(error) }, "release failed");
            reject(error);
          },
        )
        .finally(() => this.#running.delete(running));
      this.#running.add(running);
    });
  }

  /** Releases end after their current step and record it in the journal. */
  stop(): void {
    this.#stop.abort();
  }

  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }
}
