import { useSignal, type ReadonlySignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { EmptyState } from "./Card.tsx";
import { placeRows, type RowPlaces } from "./row-places.ts";
import { usePrinted } from "./use-printed.ts";

export interface VirtualTableProps<Row> {
  readonly label: string;
  readonly class?: string;
  readonly head: ComponentChildren;
  readonly rows: readonly Row[];
  /** The choice of the user. In the same order, rows keep their places while the pointer or the focus is in one. */
  readonly order?: unknown;
  readonly keyOf: (row: Row) => string;
  /** In rem, as in the style sheet. */
  readonly rowHeight: number;
  /** The title if there are no rows. */
  readonly empty: string;
  /** @param slot the key, which a later row may get */
  readonly renderRow: (row: Row, index: number, slot: object | undefined) => JSX.Element;
}

/** The number of rows that are rendered or left out together. Each rendered row makes a sort and a sample slower. */
const PART = 8;
const MARGIN = "100px 0px";
/** A list of at most so many rows is rendered as a whole, so that the browser finds each of its words. */
const WHOLE = 3 * PART;
/** Slides a row that jumps over others, so that the eye can follow. */
const MOTION = { duration: 200, easing: "ease-out" };

/** Renders only rows near the window; elsewhere an empty row keeps their place. */
export function VirtualTable<Row>(props: VirtualTableProps<Row>): JSX.Element {
  const { head, rowHeight, empty, renderRow } = props;
  const table = useRef<HTMLTableElement>(null);
  const isPrinted = usePrinted();
  const isHeld = useSignal(false);
  const shown = useSignal<Shown<Row> | undefined>(undefined);
  // A dialog will return the focus to a row.
  const isKept = isHeld.value || document.querySelector(":modal") !== null;
  const placed = placeRows({ ...props, isKept }, shown.peek());
  const { rows, slots, jumps } = placed;
  // Only the parts that are rendered read it. The others keep their properties, so a sample passes them by.
  shown.value = {
    ...placed,
    // The header is the first row.
    draw: (first) =>
      rows.slice(first, first + PART).map((row, at) => renderRow(row, first + at + 2, slots[first + at])),
  };
  useLayoutEffect(() => slideRows(table.current, jumps));
  /** @param next where the pointer or the focus is now */
  const hold = (next: EventTarget | null): void =>
    void (isHeld.value = [next, document.activeElement].some((one) => (one as Element | null)?.closest(".rows tbody")));
  return (
    <div class="table-scroll">
      <table
        class={`rows ${props.class ?? ""}`}
        aria-label={props.label}
        aria-rowcount={rows.length + 1}
        ref={table}
        onPointerOver={({ target }) => hold(target)}
        onPointerLeave={() => hold(null)}
        onFocusIn={({ target }) => hold(target)}
        onFocusOut={({ relatedTarget }) => hold(relatedTarget)}
      >
        {head}
        {Array.from({ length: Math.ceil(rows.length / PART) }, (_, at) => (
          <TablePart
            // oxlint-disable-next-line react/no-array-index-key -- a part is its place
            key={at}
            first={at * PART}
            count={Math.min(PART, rows.length - at * PART)}
            rowHeight={rowHeight}
            isWhole={isPrinted || rows.length <= WHOLE}
            shown={shown}
          />
        ))}
      </table>
      {rows.length === 0 && <EmptyState icon="search" title={empty} />}
    </div>
  );
}

function slideRows(table: HTMLTableElement | null, jumps: RowPlaces<unknown>["jumps"]): void {
  for (const { at, by } of jumps) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const row = table?.querySelector(`[aria-rowindex="${at + 2}"]`);
    // A height in pixels would have to be measured.
    row?.animate([{ transform: `translateY(${by * 100}%)` }, {}], MOTION);
  }
}

interface Shown<Row> extends RowPlaces<Row> {
  readonly draw: (first: number) => JSX.Element[];
}

interface TablePartProps<Row> {
  readonly first: number;
  readonly count: number;
  readonly rowHeight: number;
  readonly isWhole: boolean;
  readonly shown: ReadonlySignal<Shown<Row> | undefined>;
}

function TablePart<Row>({ first, count, rowHeight, isWhole, shown }: TablePartProps<Row>): JSX.Element {
  const body = useRef<HTMLTableSectionElement>(null);
  // The first rows are rendered before their position is known.
  const isRendered = useSignal(first <= PART);
  const heights = useRef<Record<number, string>>({});
  useLayoutEffect(() => {
    const element = body.current;
    if (element === null) return undefined;
    const observer = new IntersectionObserver(
      ([entry]) => {
        // Removing a focused row would lose the focus.
        const isNeeded = entry?.isIntersecting === true || element.contains(document.activeElement);
        if (!isNeeded) heights.current[count] = `${entry?.boundingClientRect.height}px`;
        isRendered.value = isNeeded;
      },
      { rootMargin: MARGIN },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [count]);
  const height = heights.current[count] ?? `${count * rowHeight}rem`;
  return (
    <tbody ref={body}>
      {isWhole || isRendered.value ? (
        shown.value?.draw(first)
      ) : (
        <tr class="undrawn" style={{ height }} aria-hidden="true" />
      )}
    </tbody>
  );
}
