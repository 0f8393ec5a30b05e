import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { usePage } from "../console.ts";
import { Icon } from "./Button.tsx";

export interface FilterFieldProps {
  /** The accessible name, also shown in the list of shortcuts. */
  readonly label: string;
  readonly placeholder: string;
  readonly text: Signal<string>;
}

/** `/` focuses the filter; Escape clears and leaves it. */
export function FilterField({ label, placeholder, text }: FilterFieldProps): JSX.Element {
  const { shortcuts } = usePage();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => shortcuts.add({ key: "/", label, run: () => input.current?.focus() }), [shortcuts, label]);
  return (
    <label class="filter">
      <span class="hidden">{label}</span>
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        placeholder={placeholder}
        value={text.value}
        onInput={({ currentTarget }) => void (text.value = currentTarget.value)}
        onKeyDown={({ key, currentTarget }) => {
          if (key !== "Escape") return;
          text.value = "";
          currentTarget.blur();
        }}
      />
      <kbd aria-hidden="true">/</kbd>
    </label>
  );
}
