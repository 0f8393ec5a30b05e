// oxlint-disable unicorn/no-process-exit -- the one place where a process of the backend ends
/** How a process of the backend begins and ends, the same for every entrypoint. */

/** What is to be closed at the end; the last that was opened goes first. */
export type OnClose = (close: () => Promise<void>) => void;

const DRAIN_MS = 4000;

/**
 * Starts, tells PM2 that it is ready, and ends in order on SIGINT or SIGTERM, during its start too. Where it cannot
 * start, what was opened is closed, the reason stands on stderr and the exit code is 1.
 *
 * @param start opens what the process serves and says in one line what listens where
 */
export async function runProcess(start: (onClose: OnClose) => Promise<string>): Promise<void> {
  const closings: (() => Promise<void>)[] = [];
  let isEnding = false;
  const end = async (code: number): Promise<void> => {
    if (isEnding) return;
    isEnding = true;
    // Long streams and stuck peers must not outlive PM2's kill_timeout.
    setTimeout(() => process.exit(code), DRAIN_MS).unref();
    for (let close = closings.pop(); close !== undefined; close = closings.pop()) {
      await close().catch((error: unknown) => console.error(error));
    }
    process.exit(code);
  };
  // As often as they come: in a terminal npm and the shell both send one, and the second must not cut the end short.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void end(0));
  try {
    const started = await start((close) => closings.push(close));
    if (isEnding) return;
    console.log(started);
    process.send?.("ready");
  } catch (error) {
    // What was being started fails when its end comes first; nobody needs to hear of that.
    if (isEnding) return;
    console.error(error instanceof Error ? error.message : error);
    await end(1);
  }
}
