import type { JSX, TargetedFocusEvent } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

export interface DrawnRowsProps {
  readonly count: number;
  /** In rem: used for the height of the part until it is drawn. */
  readonly rowHeight: number;
  /** Draws the rows before their position is known. */
  readonly isFirst: boolean;
  readonly onHold: (isHeld: boolean) => void;
  readonly draw: () => JSX.Element[];
}

const MARGIN = "400px 0px";

/** Draws rows only near the window; elsewhere an empty row keeps their place. */
export function DrawnRows({ count, rowHeight, isFirst, onHold, draw }: DrawnRowsProps): JSX.Element {
  const body = useRef<HTMLTableSectionElement>(null);
  const [isDrawn, setDrawn] = useState(isFirst);
  const measured = useRef<{ readonly count: number; readonly height: number } | undefined>(undefined);
  useLayoutEffect(() => {
    const element = body.current;
    if (element === null) return undefined;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry === undefined) return;
        // Removing a focused row would lose the focus.
        const isNeeded = entry.isIntersecting || element.contains(document.activeElement);
        if (!isNeeded) measured.current = { count, height: entry.boundingClientRect.height };
        setDrawn(isNeeded);
      },
      { rootMargin: MARGIN },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [count]);
  const height = measured.current?.count === count ? `${measured.current.height}px` : `${count * rowHeight}rem`;
  return (
    <tbody
      ref={body}
      onPointerEnter={() => onHold(true)}
      onPointerLeave={() => onHold(false)}
      onFocusIn={() => onHold(true)}
      onFocusOut={(event) => onHold(keepsFocus(event))}
    >
      {isDrawn ? draw() : <tr class="undrawn" style={{ height }} aria-hidden="true" />}
    </tbody>
  );
}

function keepsFocus({ currentTarget, relatedTarget }: TargetedFocusEvent<HTMLTableSectionElement>): boolean {
  return currentTarget.contains(relatedTarget as Node | null);
}
