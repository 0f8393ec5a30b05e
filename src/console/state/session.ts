import { signal } from "@preact/signals";
import type { Problem } from "../data/request-error.ts";

const KEY = "svcm.token";

export interface TokenDemand {
  readonly problem: Problem;
  readonly refused: boolean;
}

export type Session = ReturnType<typeof createSession>;

/**
 * The token of this browser tab, kept until the tab is closed and never in a URL. It belongs to the server that
 * demanded it, because another server may answer at the same address later.
 *
 * @param server the identity of the server that this page works with
 * @param onEntered called when the user has entered a token
 */
export function createSession(
  storage: Storage | undefined,
  server: () => string | undefined,
  onEntered: () => void = () => undefined,
) {
  const demanded = signal<TokenDemand | undefined>();
  const tokens = tokensIn(storage);
  const waiting: ((hasToken: boolean) => void)[] = [];
  const settle = (hasToken: boolean): void => {
    demanded.value = undefined;
    for (const answer of waiting.splice(0)) answer(hasToken);
  };
  return {
    demanded,
    token: (): string | undefined => tokens.get(server() ?? ""),
    /** @returns true if there is a token to try */
    demand(problem: Problem, refused: boolean): Promise<boolean> {
      demanded.value ??= { problem, refused };
      return new Promise((resolve) => void waiting.push(resolve));
    },
    enter(token: string): void {
      tokens.set(server() ?? "", token);
      storage?.setItem(KEY, JSON.stringify(Object.fromEntries(tokens)));
      settle(true);
      onEntered();
    },
    cancel: (): void => settle(false),
  };
}

function tokensIn(storage: Storage | undefined): Map<string, string> {
  try {
    return new Map(Object.entries(JSON.parse(storage?.getItem(KEY) ?? "{}") as Record<string, string>));
  } catch {
    return new Map();
  }
}
