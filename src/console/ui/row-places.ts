/** More of them are another order, not jumps. */
const MAX_JUMPS = 8;

export interface RowPlaces<Row> {
  readonly rows: readonly Row[];
  /** By the key of a row. */
  readonly places: ReadonlyMap<string, number>;
  /** For each row, what its elements belong to. */
  readonly slots: readonly object[];
  /** Rows that moved over others by so many places, unless there are too many for an eye to follow. */
  readonly jumps: readonly { readonly at: number; readonly by: number }[];
  readonly order: unknown;
}

interface Listed<Row> {
  readonly rows: readonly Row[];
  readonly order?: unknown;
  readonly keyOf: (row: Row) => string;
  /** While a user is at a row, or will be when a dialog closes. */
  readonly isKept: boolean;
}

/**
 * Kept rows stay where they were in the same order, with new ones at the end. A row keeps its slot. In another order, the slots stay and get
 * other rows, because new elements are slow.
 */
export function placeRows<Row>({ rows, order, keyOf, isKept }: Listed<Row>, last?: RowPlaces<Row>): RowPlaces<Row> {
  const placeOf = (row: Row): number => last?.places.get(keyOf(row)) ?? Infinity;
  const isFrozen = isKept && last?.order === order;
  const placed = isFrozen ? rows.toSorted((a, b) => placeOf(a) - placeOf(b) || 0) : rows;
  const jumps = placed
    .map((row, at) => ({ at, by: placeOf(row) - at }))
    .filter(({ by }) => Math.abs(by) > 1 && by < Infinity);
  const areMany = jumps.length > MAX_JUMPS;
  const isOther = areMany && !isKept;
  return {
    rows: placed,
    places: new Map(placed.map((row, at) => [keyOf(row), at])),
    slots: placed.map((row, at) => last?.slots[isOther ? at : placeOf(row)] ?? {}),
    jumps: areMany ? [] : jumps,
    order,
  };
}
