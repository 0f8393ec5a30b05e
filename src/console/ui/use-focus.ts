import type { Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** Moves the focus to what the signal names inside of the element, once it is there. @returns the element's ref */
export function useFocus(wanted: Signal<string | undefined>): RefObject<HTMLDivElement | null> {
  const root = useRef<HTMLDivElement>(null);
  const selector = wanted.value;
  useLayoutEffect(() => {
    if (selector === undefined) return;
    wanted.value = undefined;
    const element = root.current?.querySelector<HTMLElement>(selector);
    element?.focus();
    element?.scrollIntoView({ block: "nearest" });
  }, [selector]);
  return root;
}
