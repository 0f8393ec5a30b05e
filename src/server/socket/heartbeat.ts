import type { Peer } from "./peer.ts";

export interface Heartbeat {
  start(): void;
  stop(): void;
}

export function heartbeat(members: Iterable<{ readonly peer: Peer }>, intervalMs: number): Heartbeat {
  let timer: NodeJS.Timeout | undefined;
  const beat = (): void => {
    for (const { peer } of members) peer.beat();
  };
  return {
    start() {
      timer ??= setInterval(beat, intervalMs);
    },
    stop() {
      clearInterval(timer);
      timer = undefined;
    },
  };
}
