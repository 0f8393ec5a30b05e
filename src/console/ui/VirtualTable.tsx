import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX, RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { chunk } from "../../core/words/lists.ts";
import { EmptyState } from "./Card.tsx";

export interface VirtualTableProps<Row> {
  readonly label: string;
  readonly class?: string;
  readonly head: ComponentChildren;
  readonly rows: readonly Row[];
  /** In rem, as in the style sheet. */
  readonly rowHeight: number;
  /** The title if there are no rows. */
  readonly empty: string;
  /** Called with true while the pointer or the focus is in a row. */
  readonly onHold: (isHeld: boolean) => void;
  readonly renderRow: (row: Row, index: number) => JSX.Element;
}

/** The number of rows that are rendered or left out together. */
const PART = 24;
const MARGIN = "400px 0px";

/** Renders only rows near the window; elsewhere an empty row keeps their place. */
export function VirtualTable<Row>(props: VirtualTableProps<Row>): JSX.Element {
  const { label, head, rows, rowHeight, empty, onHold, renderRow } = props;
  const table = useRef<HTMLTableElement>(null);
  useMotion(table);
  const hold = (isHeld: boolean): void => {
    const bodies = [...(table.current?.tBodies ?? [])];
    onHold(isHeld || bodies.some((body) => body.contains(document.activeElement)));
  };
  return (
    <div class="table-scroll">
      <table class={`rows ${props.class ?? ""}`} aria-label={label} aria-rowcount={rows.length + 1} ref={table}>
        {head}
        {chunk(rows, PART).map((part, at) => (
          <TablePart
            // oxlint-disable-next-line react/no-array-index-key -- a part is its place
            key={at}
            count={part.length}
            rowHeight={rowHeight}
            isFirst={at === 0}
            onHold={hold}
            // The header is the first row.
            render={() => part.map((row, place) => renderRow(row, at * PART + place + 2))}
          />
        ))}
      </table>
      {rows.length === 0 && <EmptyState icon="search" title={empty} />}
    </div>
  );
}

interface TablePartProps {
  readonly count: number;
  readonly rowHeight: number;
  /** Renders the rows before their position is known. */
  readonly isFirst: boolean;
  readonly onHold: (isHeld: boolean) => void;
  readonly render: () => JSX.Element[];
}

function TablePart({ count, rowHeight, isFirst, onHold, render }: TablePartProps): JSX.Element {
  const body = useRef<HTMLTableSectionElement>(null);
  const isRendered = useSignal(isFirst);
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
        isRendered.value = isNeeded;
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
      onFocusOut={({ currentTarget, relatedTarget }) => onHold(currentTarget.contains(relatedTarget as Node | null))}
    >
      {isRendered.value ? render() : <tr class="undrawn" style={{ height }} aria-hidden="true" />}
    </tbody>
  );
}

/** More of them are another order, not a jump. */
const MAX_JUMPS = 8;
const MOTION = { duration: 200, easing: "ease-out" };

/** Slides a row that jumps over others to its new place, so that the eye can follow. Nothing is measured while the order stays. */
function useMotion(table: RefObject<HTMLElement | null>): void {
  const places = useRef<ReadonlyMap<HTMLElement, number>>(new Map());
  useLayoutEffect(() => {
    const before = places.current;
    const rows = [...(table.current?.querySelectorAll<HTMLElement>("tr[aria-rowindex]") ?? [])];
    places.current = new Map(rows.map((row, at) => [row, at]));
    const jumps = rows.flatMap((row, at) => {
      const by = (before.get(row) ?? at) - at;
      return Math.abs(by) > 1 ? [{ row, by }] : [];
    });
    if (jumps.length > MAX_JUMPS || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    for (const { row, by } of jumps)
      row.animate([{ transform: `translateY(${by * row.offsetHeight}px)` }, { transform: "none" }], MOTION);
  });
}
