import type { Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

export function useFocus(target: Signal<string | undefined>): RefObject<HTMLDivElement | null> {
  const root = useRef<HTMLDivElement>(null);
  const selector = target.value;
  useLayoutEffect(() => {
    if (selector === undefined) return;
    target.value = undefined;
    // Deeper components may render right after this one.
    queueMicrotask(() => {
      const element = root.current?.querySelector<HTMLElement>(selector);
      element?.focus();
      element?.scrollIntoView({ block: "nearest" });
    });
  }, [selector]);
  return root;
}
