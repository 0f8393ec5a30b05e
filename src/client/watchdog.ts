/** Notices that nothing is heard any more. */
export interface Watchdog {
  /** Begins, or begins anew: so long may it be silent. */
  watch(silenceMs: number): void;
  heard(): void;
  stop(): void;
}

/** Calls `onSilence` after a silence, and `onDead` where it lasts as long again. */
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
