import type { JSX, TargetedFocusEvent } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

export interface DrawnRowsProps {
  /** Of the rows. */
  readonly keys: readonly string[];
  /** Of a row, in rem: the height of the part before it was drawn once. */
  readonly rowHeight: number;
  /** Draws the rows before their place is known. */
  readonly isFirst: boolean;
  readonly onHold: (isHeld: boolean) => void;
  readonly draw: () => JSX.Element[];
}

/** Rows this far from the window are drawn, and keep their values until they are in it. */
const NEAR = "400px 0px";

/** A part of a table whose rows are drawn only near the window. Elsewhere an empty row keeps their place. */
export function DrawnRows({ keys, rowHeight, isFirst, onHold, draw }: DrawnRowsProps): JSX.Element {
  const body = useRef<HTMLTableSectionElement>(null);
  const [isNear, setNear] = useState(isFirst);
  const [isSeen, setSeen] = useState(isFirst);
  const measured = useRef({ count: 0, height: 0 });
  const count = keys.length;
  useLayoutEffect(() => {
    const element = body.current;
    if (element === null) return undefined;
    const observers = [
      observed(element, NEAR, (isNeeded, height) => {
        if (!isNeeded) measured.current = { count, height };
        setNear(isNeeded);
      }),
      observed(element, "0px", setSeen),
    ];
    return () => observers.forEach((observer) => observer.disconnect());
  }, [count]);
  const rows = useMemo(() => (isNear ? draw() : undefined), [isNear, isSeen ? draw : keys.join()]);
  const height = measured.current.count === count ? `${measured.current.height}px` : `${count * rowHeight}rem`;
  return (
    <tbody
      ref={body}
      onPointerEnter={() => onHold(true)}
      onPointerLeave={() => onHold(false)}
      onFocusIn={() => onHold(true)}
      onFocusOut={(event) => onHold(keepsFocus(event))}
    >
      {rows ?? <tr class="undrawn" style={{ height }} aria-hidden="true" />}
    </tbody>
  );
}

function observed(
  element: Element,
  rootMargin: string,
  take: (isNeeded: boolean, height: number) => void,
): IntersectionObserver {
  const observer = new IntersectionObserver(
    // The focus would be lost with its row.
    ([entry]) =>
      entry && take(entry.isIntersecting || element.contains(document.activeElement), entry.boundingClientRect.height),
    { rootMargin },
  );
  observer.observe(element);
  return observer;
}

function keepsFocus({ currentTarget, relatedTarget }: TargetedFocusEvent<HTMLTableSectionElement>): boolean {
  return currentTarget.contains(relatedTarget as Node | null);
}
