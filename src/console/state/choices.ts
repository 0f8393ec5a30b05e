const PREFIX = "svcm.choice.";

/** What somebody chose on this page, by name: remembered in this browser, for this server. */
export interface Choices {
  get(name: string): string | undefined;
  /** @param value `undefined` forgets the choice */
  set(name: string, value: string | undefined): void;
}

/** @param storage of the browser; without it a choice holds as long as the page */
export function createChoices(storage: Storage | undefined, server: string): Choices {
  const keyOf = (name: string): string => `${PREFIX}${server}.${name}`;
  return {
    get: (name) => storage?.getItem(keyOf(name)) ?? undefined,
    set(name, value) {
      try {
        if (value === undefined) storage?.removeItem(keyOf(name));
        else storage?.setItem(keyOf(name), value);
      } catch {
        // The storage is full.
      }
    },
  };
}
