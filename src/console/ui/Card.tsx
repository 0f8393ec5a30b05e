import type { ComponentChildren, JSX } from "preact";

export function Card(props: {
  title: string;
  actions?: ComponentChildren;
  class?: string;
  children: ComponentChildren;
}): JSX.Element {
  const { title, actions, children } = props;
  return (
    <section class={`card ${props.class ?? ""}`} aria-label={title}>
      <div class="card-head">
        <h2>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}
