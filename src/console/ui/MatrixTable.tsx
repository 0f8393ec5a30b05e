import type { JSX } from "preact";
import { useId } from "preact/hooks";
import { Icon } from "./Icon.tsx";

interface Heading {
  readonly id: string;
  readonly label: string;
}

export interface MatrixTableProps {
  readonly title: string;
  /** What the rows are, and what the columns are. */
  readonly axes: readonly [string, string];
  readonly rows: readonly Heading[];
  readonly columns: readonly Heading[];
  readonly isAccepted: (row: string, column: string) => boolean;
  /** The selection that is shown in it, and what it is called. */
  readonly chosen: readonly [row: string | undefined, column: string | undefined];
}

/** What can be combined with what, with the current selection in it. */
export function MatrixTable({ title, axes, rows, columns, isAccepted, chosen }: MatrixTableProps): JSX.Element {
  const id = useId();
  const [row, column] = chosen;
  return (
    <div class="card flush matrix">
      <h2 id={id}>{title}</h2>
      <div class="table-scroll" role="region" aria-labelledby={id} tabIndex={0}>
        <table class="rows">
          <thead>
            <tr>
              <th scope="col">
                {axes[0]} <span class="axis">by {axes[1]}</span>
              </th>
              {columns.map((heading) => (
                <th key={heading.id} scope="col" class={heading.id === column ? "chosen" : ""}>
                  {heading.label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((heading) => (
              <tr key={heading.id}>
                <th scope="row" class={heading.id === row ? "chosen" : ""}>
                  {heading.label}
                </th>
                {columns.map(({ id: at }) => (
                  <Cell
                    key={at}
                    isAccepted={isAccepted(heading.id, at)}
                    isChosen={heading.id === row && at === column}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function Cell({ isAccepted, isChosen }: { isAccepted: boolean; isChosen: boolean }): JSX.Element {
  const tone = isAccepted ? "yes" : "no";
  return (
    <td class={`${tone}${isChosen ? " chosen" : ""}`} {...(isChosen && { "aria-current": "true" })}>
      {isAccepted ? <Icon name="check" /> : <span aria-hidden="true">–</span>}
      <span class="hidden">
        {tone}
        {isChosen && ", your selection"}
      </span>
    </td>
  );
}

/** A record of the matrix as headings. */
export function headings(record: Readonly<Record<string, { readonly label: string }>>): Heading[] {
  return Object.entries(record).map(([id, { label }]) => ({ id, label }));
}
