// oxlint-disable unicorn/no-process-exit -- the one place where a process of the backend ends

/** The last registered function is called first. */
export type OnClose = (close: () => Promise<void>) => void;

const DRAIN_MS = 4000;

/**
 * Shuts down in order on SIGINT or SIGTERM, even during the start. If the process cannot start, it closes everything
 * that it opened, prints the reason on stderr and exits with 1.
 *
 * @param start opens the servers and returns one line with their addresses
 */
export async function runProcess(start: (onClose: OnClose) => Promise<string>): Promise<void> {
  const closings: (() => Promise<void>)[] = [];
  let isEnding = false;
  const end = async (code: number): Promise<void> => {
    if (isEnding) return;
    isEnding = true;
    // Long streams and stuck clients must not outlive PM2's kill_timeout.
    setTimeout(() => process.exit(code), DRAIN_MS).unref();
    for (let close = closings.pop(); close !== undefined; close = closings.pop()) {
      await close().catch((error: unknown) => console.error(error));
    }
    process.exit(code);
  };
  // In a terminal, npm and the shell both send a signal; the second must not cut the shutdown short.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void end(0));
  try {
    const started = await start((close) => closings.push(close));
    if (isEnding) return;
    console.log(started);
    process.send?.("ready");
  } catch (error) {
    // A start that fails because of the shutdown is not reported.
    if (isEnding) return;
    console.error(error instanceof Error ? error.message : error);
    await end(1);
  }
}
