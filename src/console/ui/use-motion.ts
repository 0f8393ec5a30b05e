import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** More of them are another order, not a jump. */
const MAX_JUMPS = 8;
const MOTION = { duration: 200, easing: "ease-out" };

/** Slides a row that jumps over others to its new place, so that the eye can follow. Nothing is measured while the order stays. */
export function useMotion(table: RefObject<HTMLElement | null>): void {
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
