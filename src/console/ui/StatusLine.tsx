import type { ComponentChildren, JSX } from "preact";
import { Icon, type IconName } from "./Icon.tsx";

const icons = { info: "info", success: "check", warning: "warning", error: "error" } as const satisfies Record<
  string,
  IconName
>;

export interface StatusLineProps {
  readonly tone: keyof typeof icons;
  readonly children: ComponentChildren;
  readonly action?: ComponentChildren;
}

/** Wrap a message that appears later in a {@link StatusRegion}, so that it is announced. */
export function StatusLine({ tone, children, action }: StatusLineProps): JSX.Element {
  return (
    <div class={`status-line ${tone}`}>
      <Icon name={icons[tone]} />
      <div class="status-text">{children}</div>
      {action}
    </div>
  );
}

/** Always rendered, because browsers announce only changes of an existing live region. */
export function StatusRegion({ children }: { children?: ComponentChildren }): JSX.Element {
  return (
    <div class="status-region" aria-live="polite">
      {children}
    </div>
  );
}
