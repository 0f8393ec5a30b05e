export interface Watchdog {
  /** Restarts the timer. */
  start(silenceMs: number): void;
  reset(): void;
  stop(): void;
}

/** Calls `onSilence` after a silence, and `onDead` after a second one of the same length. */
export function watchdog(onSilence: () => void, onDead: () => void): Watchdog {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let silenceMs = 0;
  const wait = (callback: () => void): void => {
    clearTimeout(timer);
    timer = setTimeout(callback, silenceMs);
  };
  const restart = (): void =>
    wait(() => {
      onSilence();
      wait(onDead);
    });
  return {
    start(ms) {
      silenceMs = ms;
      restart();
    },
    reset() {
      if (timer !== undefined) restart();
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
