import { signal, type ReadonlySignal } from "@preact/signals";

const KEY = "svcm.shortcuts";

export interface Shortcut {
  /** As `KeyboardEvent.key` tells it. */
  readonly key: string;
  readonly label: string;
  readonly run: () => void;
}

/** Single keys that do something while nothing is being typed. They can be turned off. */
export interface Shortcuts {
  readonly list: ReadonlySignal<readonly Shortcut[]>;
  readonly isOn: ReadonlySignal<boolean>;
  /** @returns takes them away again */
  add(...shortcuts: readonly Shortcut[]): () => void;
  turn(on: boolean): void;
  onKey(event: KeyboardEvent): void;
}

export function createShortcuts(storage: Storage | undefined): Shortcuts {
  const list = signal<readonly Shortcut[]>([]);
  const isOn = signal(storage?.getItem(KEY) !== "off");
  return {
    list,
    isOn,
    add(...shortcuts) {
      list.value = [...list.value, ...shortcuts];
      return () => void (list.value = list.value.filter((shortcut) => !shortcuts.includes(shortcut)));
    },
    turn(on) {
      isOn.value = on;
      storage?.setItem(KEY, on ? "on" : "off");
    },
    onKey(event) {
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
