import { signal } from "@preact/signals";

const KEY = "svcm.shortcuts";

export interface Shortcut {
  /** As in `KeyboardEvent.key`. */
  readonly key: string;
  readonly label: string;
  readonly run: () => void;
}

export type Shortcuts = ReturnType<typeof createShortcuts>;

/** Single keys, which act unless the user is typing. */
export function createShortcuts(storage: Storage | undefined) {
  const list = signal<readonly Shortcut[]>([]);
  const isOn = signal(storage?.getItem(KEY) !== "off");
  return {
    list,
    isOn,
    /** @returns a function that removes them */
    add(...shortcuts: readonly Shortcut[]): () => void {
      list.value = [...list.value, ...shortcuts];
      return () => void (list.value = list.value.filter((shortcut) => !shortcuts.includes(shortcut)));
    },
    turn(on: boolean): void {
      isOn.value = on;
      storage?.setItem(KEY, on ? "on" : "off");
    },
    onKey(event: KeyboardEvent): void {
      if (!isOn.value || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
      const shortcut = list.value.find(({ key }) => key === event.key);
      if (shortcut === undefined) return;
      event.preventDefault();
      shortcut.run();
    },
  };
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches("input:not([type=radio], [type=checkbox]), select, textarea");
}
