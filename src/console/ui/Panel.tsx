import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

export interface PanelProps {
  readonly title: string;
  readonly class?: string;
  /** Takes the focus when it appears. */
  readonly isFocused?: boolean;
  readonly children: ComponentChildren;
}

/** The content of the page, which the skip link focuses. */
export function Panel({ title, isFocused = false, children, ...rest }: PanelProps): JSX.Element {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isFocused) panel.current?.focus();
  }, []);
  return (
    <section id="panel" class={`panel ${rest.class ?? ""}`} aria-label={title} tabIndex={-1} ref={panel}>
      {children}
    </section>
  );
}
