import { comesInTime, type Patience } from "./patience.ts";

/** Resolves with the function that ends the turn; `undefined` if the time is over first. */
export type TakeTurn = (key: string, patience: Patience) => Promise<(() => void) | undefined>;

/** One turn at a time for each key in this process, in order. */
export function turns(): TakeTurn {
  const tails = new Map<string, Promise<void>>();

  return async (key, patience) => {
    const before = tails.get(key);
    let leave!: () => void;
    const ours = new Promise<void>((resolve) => (leave = resolve));
    const tail = before === undefined ? ours : before.then(() => ours);
    tails.set(key, tail);
    void tail.then(() => {
      if (tails.get(key) === tail) tails.delete(key);
    });
    try {
      if (before === undefined || (await comesInTime(before, patience))) return leave;
    } catch (error) {
      leave();
      throw error;
    }
    leave();
    return undefined;
  };
}
