import type { JSX } from "preact";
import { Icon } from "../../ui/Icon.tsx";
import type { Column, Sorting } from "./order.ts";

export interface SortHeaderProps {
  readonly column: Column;
  readonly label: string;
  readonly sorting: Sorting;
  readonly isNumber?: boolean;
  readonly class?: string;
  readonly onSort: (sorting: Sorting) => void;
}

export function SortHeader(props: SortHeaderProps): JSX.Element {
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
