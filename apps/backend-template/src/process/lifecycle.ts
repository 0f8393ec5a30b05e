/** How a process of the backend begins and ends, the same for every entrypoint. */

export interface Running {
  /** One line for the log: what listens where. */
  readonly summary: string;
  close(): Promise<void>;
}

const DRAIN_MS = 4000;

/**
 * Starts, tells PM2 that it is ready, and ends in order on SIGINT or SIGTERM. Where it cannot start, the
 * reason stands on stderr and the exit code is 1.
 */
export async function runProcess(start: () => Promise<Running>): Promise<void> {
  try {
    const running = await start();
    console.log(running.summary);
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void end(running));
    process.send?.("ready");
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
    // A half-started framework may hold the process open.
    process.exit();
  }
}

async function end(running: Running): Promise<void> {
  // Long streams and stuck peers must not outlive PM2's kill_timeout.
  setTimeout(() => process.exit(0), DRAIN_MS).unref();
  await running.close();
  process.exit(0);
}
