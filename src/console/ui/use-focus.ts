import type { Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** Focuses the element that the signal selects inside of the returned ref, once it is rendered. */
export function useFocus(wanted: Signal<string | undefined>): RefObject<HTMLDivElement | null> {
  const root = useRef<HTMLDivElement>(null);
  const selector = wanted.value;
  useLayoutEffect(() => {
    if (selector === undefined) return;
    wanted.value = undefined;
    // Components deeper in the tree may be rendered right after this one.
    queueMicrotask(() => {
      const element = root.current?.querySelector<HTMLElement>(selector);
      element?.focus();
      element?.scrollIntoView({ block: "nearest" });
    });
  }, [selector]);
  return root;
}
