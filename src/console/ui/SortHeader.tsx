import type { JSX } from "preact";
import { Icon } from "./Icon.tsx";
import type { Sorting } from "./sorting.ts";

export interface SortHeaderProps<Column extends string> {
  readonly column: Column;
  readonly label: string;
  readonly sorting: Sorting<Column>;
  readonly isNumber?: boolean;
  readonly class?: string;
  readonly onSort: (sorting: Sorting<Column>) => void;
}

/** A column's head that sorts by it, the other way when it does already. */
export function SortHeader<Column extends string>(props: SortHeaderProps<Column>): JSX.Element {
  const { column, label, sorting, isNumber = false, onSort } = props;
  const isSorted = sorting.by === column;
  const direction = sorting.isDescending ? "descending" : "ascending";
  return (
    <th
      scope="col"
      class={`${isNumber ? "number " : ""}${props.class ?? ""}`}
      aria-sort={isSorted ? direction : "none"}
    >
      <button
        type="button"
        class="sort"
        onClick={() => onSort({ by: column, isDescending: isSorted ? !sorting.isDescending : isNumber })}
      >
        {label}
        {isSorted && <Icon name={sorting.isDescending ? "down" : "up"} size={12} />}
      </button>
    </th>
  );
}
