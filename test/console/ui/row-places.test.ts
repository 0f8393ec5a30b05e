/** The places and the elements of the rows of a table: while a user is at a row, after a jump, and in another order. */
import { describe, expect, test } from "vitest";
import { placeRows, type RowPlaces } from "../../../src/console/ui/row-places.ts";

const ORDER = { by: "cpu" };
const twenty = Array.from({ length: 20 }, (_, at) => `row-${at}`);

interface Then {
  readonly last?: RowPlaces<string>;
  readonly order?: unknown;
  readonly isKept?: boolean;
}

function placed(names: string, { last, order = ORDER, isKept = false }: Then = {}) {
  return placeRows({ rows: names.split(" "), order, keyOf: (name) => name, isKept }, last);
}

/** The rows that had the elements before. */
function ownersIn(last: RowPlaces<string>, { slots }: RowPlaces<string>): (string | undefined)[] {
  return slots.map((slot) => last.rows[last.slots.indexOf(slot)]);
}

describe("kept rows", () => {
  const last = placed("a b c");

  test("keep their places, with new ones at the end", () => {
    const next = placed("d c b a", { last, isKept: true });
    expect(next.rows).toEqual(["a", "b", "c", "d"]);
    expect(ownersIn(last, next)).toEqual(["a", "b", "c", undefined]);
  });

  test("follow the values afterwards, and an order that the user chooses meanwhile", () => {
    const kept = placed("d c b a", { last, isKept: true });
    expect(placed("d c b a", { last: kept }).rows).toEqual(["d", "c", "b", "a"]);
    expect(placed("d c b a", { last: kept, isKept: true, order: {} }).rows).toEqual(["d", "c", "b", "a"]);
  });
});

describe("a jump", () => {
  const last = placed(twenty.join(" "));

  test("is a move over other rows, and every row keeps its elements", () => {
    const moved = ["row-12", ...twenty.filter((name) => name !== "row-12")];
    const next = placed(moved.join(" "), { last });
    expect(next.jumps).toEqual([{ at: 0, by: 12 }]);
    expect(ownersIn(last, next)).toEqual(moved);
  });

  test("is not the arrival of a row", () => {
    expect(placed(["new", ...twenty].join(" "), { last }).jumps).toEqual([]);
  });

  test.each([
    [8, 8],
    [9, 0],
  ])("counts up to eight: of %i rows that moved, %i jump", (moved, jumping) => {
    const names = [...twenty.slice(4, moved), ...twenty.slice(0, 4), ...twenty.slice(moved)];
    expect(placed(names.join(" "), { last }).jumps).toHaveLength(jumping);
  });
});

describe("another order", () => {
  const last = placed(twenty.join(" "));
  const reverse = twenty.toReversed().join(" ");

  test("shows its rows by the elements of the same places, without motion", () => {
    const next = placed(reverse, { last });
    expect(ownersIn(last, next)).toEqual(twenty);
    expect(next.jumps).toEqual([]);
  });

  test("moves the elements of rows in use", () => {
    const next = placed(reverse, { last, isKept: true, order: {} });
    expect(ownersIn(last, next)).toEqual(twenty.toReversed());
  });

  test("of fewer and of more rows gives each its own elements", () => {
    const few = placed(twenty.slice(9).toReversed().join(" "), { last });
    expect(ownersIn(last, few)).toEqual(twenty.slice(0, 11));
    const more = placed(reverse, { last: few });
    expect(new Set(more.slots).size).toBe(20);
    expect(more.slots.slice(0, 11)).toEqual(few.slots);
  });
});
