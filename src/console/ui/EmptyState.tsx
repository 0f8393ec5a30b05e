import type { ComponentChildren, JSX } from "preact";
import { Icon, type IconName } from "./Icon.tsx";

export function EmptyState(props: { icon: IconName; title: string; children?: ComponentChildren }): JSX.Element {
  return (
    <div class="empty">
      <Icon name={props.icon} size={28} />
      <h2>{props.title}</h2>
      {props.children}
    </div>
  );
}
