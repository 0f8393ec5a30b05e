import { signal, type ReadonlySignal } from "@preact/signals";
import type { Credentials } from "../data/api.ts";
import type { Problem } from "../data/request-error.ts";

const KEY = "svcm.token";

export interface TokenDemand {
  /** The server's words. */
  readonly problem: Problem;
  /** A token was sent, and is not the right one. */
  readonly refused: boolean;
}

/**
 * The token of this browser tab: kept until the tab is closed, never in a URL. It belongs to the server that asked for
 * it, because another one may answer at the same address later.
 */
export interface Session extends Credentials {
  /** A request waits for a token. */
  readonly demanded: ReadonlySignal<TokenDemand | undefined>;
  enter(token: string): void;
  cancel(): void;
}

/** @param server the identity of the server that this page works with */
export function createSession(storage: Storage | undefined, server: () => string | undefined): Session {
  const demanded = signal<TokenDemand | undefined>();
  const tokens = tokensIn(storage);
  let waiting: ((isThere: boolean) => void)[] = [];
  const settle = (isThere: boolean): void => {
    demanded.value = undefined;
    const answered = waiting;
    waiting = [];
    for (const answer of answered) answer(isThere);
  };
  return {
    demanded,
    token: () => tokens.get(server() ?? ""),
    demand(problem, refused) {
      demanded.value ??= { problem, refused };
      return new Promise((resolve) => void waiting.push(resolve));
    },
    enter(entered) {
      tokens.set(server() ?? "", entered);
      storage?.setItem(KEY, JSON.stringify(Object.fromEntries(tokens)));
      settle(true);
    },
    cancel: () => settle(false),
  };
}

/** Tokens by server. */
function tokensIn(storage: Storage | undefined): Map<string, string> {
  try {
    return new Map(Object.entries(JSON.parse(storage?.getItem(KEY) ?? "{}") as Record<string, string>));
  } catch {
    return new Map();
  }
}
