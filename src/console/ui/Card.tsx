import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Icon, type IconName } from "./Button.tsx";

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

export interface PanelProps {
  readonly title: string;
  readonly class?: string;
  /** Takes the focus when it appears. */
  readonly isFocused?: boolean;
  readonly children: ComponentChildren;
}

/** The content of the page, which the skip link focuses. */
export function Panel({ title, isFocused = false, children, ...rest }: PanelProps): JSX.Element {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isFocused) panel.current?.focus();
  }, []);
  return (
    <section id="panel" class={`panel ${rest.class ?? ""}`} aria-label={title} tabIndex={-1} ref={panel}>
      {children}
    </section>
  );
}

export interface TabHeadProps {
  readonly title: string;
  readonly about?: ComponentChildren;
  readonly children?: ComponentChildren;
}

export function TabHead({ title, about, children }: TabHeadProps): JSX.Element {
  return (
    <header class="tab-head">
      <div>
        <h1>{title}</h1>
        {about !== undefined && <p class="about">{about}</p>}
      </div>
      {children !== undefined && <div class="actions">{children}</div>}
    </header>
  );
}

export function EmptyState(props: { icon: IconName; title: string; children?: ComponentChildren }): JSX.Element {
  return (
    <div class="empty">
      <Icon name={props.icon} size={28} />
      <h2>{props.title}</h2>
      {props.children}
    </div>
  );
}

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
