import { signal, type ReadonlySignal } from "@preact/signals";
import type { Credentials } from "../data/api.ts";

const KEY = "svcm.token";

export interface TokenDemand {
  /** The token that there was is not the right one. */
  readonly refused: boolean;
}

/** The token of this browser tab: kept until the tab is closed, never in a URL. */
export interface Session extends Credentials {
  /** A request waits for a token. */
  readonly demanded: ReadonlySignal<TokenDemand | undefined>;
  enter(token: string): void;
  cancel(): void;
}

export function createSession(storage: Storage | undefined): Session {
  const demanded = signal<TokenDemand | undefined>();
  let token = storage?.getItem(KEY) ?? undefined;
  let waiting: ((isThere: boolean) => void)[] = [];
  const settle = (isThere: boolean): void => {
    demanded.value = undefined;
    const answered = waiting;
    waiting = [];
    for (const answer of answered) answer(isThere);
  };
  return {
    demanded,
    token: () => token,
    demand(refused) {
      demanded.value ??= { refused };
      return new Promise((resolve) => void waiting.push(resolve));
    },
    enter(entered) {
      token = entered;
      storage?.setItem(KEY, entered);
      settle(true);
    },
    cancel: () => settle(false),
  };
}
