import type { JSX } from "preact";
import { useId } from "preact/hooks";
import { Icon } from "./Button.tsx";

type Headings = Readonly<Record<string, { readonly label: string }>>;

export interface MatrixTableProps {
  readonly title: string;
  readonly axes: readonly [string, string];
  readonly rows: Headings;
  readonly columns: Headings;
  readonly isAccepted: (row: string, column: string) => boolean;
  readonly chosen: readonly [row: unknown, column: unknown];
}

export function MatrixTable({ title, axes, rows, columns, isAccepted, chosen }: MatrixTableProps): JSX.Element {
  const id = useId();
  const [row, column] = chosen;
  const names = Object.entries(columns);
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
              {names.map(([name, { label }]) => (
                <th key={name} scope="col" class={name === column ? "chosen" : ""}>
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {Object.entries(rows).map(([name, { label }]) => (
              <tr key={name}>
                <th scope="row" class={name === row ? "chosen" : ""}>
                  {label}
                </th>
                {names.map(([at]) => (
                  <Cell key={at} isAccepted={isAccepted(name, at)} isChosen={name === row && at === column} />
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
