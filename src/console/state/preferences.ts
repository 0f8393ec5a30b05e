export type Preferences = ReturnType<typeof createPreferences>;

/**
 * Choices on this page by name, remembered for each server.
 *
 * @param storage the browser's storage; without it, nothing is remembered
 */
export function createPreferences(storage: Storage | undefined, server: string) {
  const keyOf = (name: string): string => `svcm.choice.${server}.${name}`;
  return {
    get: (name: string): string | undefined => storage?.getItem(keyOf(name)) ?? undefined,
    /** @param value `undefined` forgets the choice */
    set(name: string, value: string | undefined): void {
      try {
        if (value === undefined) storage?.removeItem(keyOf(name));
        else storage?.setItem(keyOf(name), value);
      } catch {
        // The storage is full.
      }
    },
  };
}
