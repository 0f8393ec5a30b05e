import type { ComponentChildren, JSX } from "preact";

/** The term is the name unless it is given. */
export type Description = readonly [name: string, value: ComponentChildren, term?: ComponentChildren];

export function DescriptionList(props: { class?: string; items: readonly Description[] }): JSX.Element {
  return (
    <dl class={props.class ?? "pairs"}>
      {props.items.map(([name, value, term = name]) => (
        <div key={name}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
