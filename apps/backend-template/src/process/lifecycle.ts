// oxlint-disable unicorn/no-process-exit -- the one place where a process of the backend ends
/** How a process of the backend begins and ends, the same for every entrypoint. */

/** What is to be closed at the end; the last that was opened goes first. */
export type OnClose = (close: () => Promise<void>) => void;

const DRAIN_MS = 4000;

/**
 * Starts, tells PM2 that it is ready, and ends in order on SIGINT or SIGTERM. Where it cannot start, what was
 * opened is closed, the reason stands on stderr and the exit code is 1.
 *
 * @param start opens what the process serves and says in one line what listens where
 */
export async function runProcess(start: (onClose: OnClose) => Promise<string>): Promise<void> {
  const closings: (() => Promise<void>)[] = [];
  const end = async (code: number): Promise<void> => {
    // Long streams and stuck peers must not outlive PM2's kill_timeout.
    setTimeout(() => process.exit(code), DRAIN_MS).unref();
    for (const close of closings.toReversed()) await close().catch((error: unknown) => console.error(error));
    process.exit(code);
  };
  try {
    console.log(await start((close) => closings.push(close)));
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void end(0));
    process.send?.("ready");
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    await end(1);
  }
}
