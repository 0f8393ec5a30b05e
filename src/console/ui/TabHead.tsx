import type { ComponentChildren, JSX } from "preact";

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
