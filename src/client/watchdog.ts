export interface Watchdog {
  /** Restarts the timer. */
  watch(silenceMs: number): void;
  heard(): void;
  stop(): void;
}

/** Calls `onSilence` after a silence, and `onDead` after a second one of the same length. */
export function watchdog(onSilence: () => void, onDead: () => void): Watchdog {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let silenceMs = 0;
  const wait = (then: () => void): void => {
    clearTimeout(timer);
    timer = setTimeout(then, silenceMs);
  };
  const begin = (): void =>
    wait(() => {
      onSilence();
      wait(onDead);
    });
  return {
    watch(ms) {
      silenceMs = ms;
      begin();
    },
    heard() {
      if (timer !== undefined) begin();
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
