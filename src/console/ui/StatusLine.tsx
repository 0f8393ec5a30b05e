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

/** A message. Put a {@link StatusRegion} around a message that appears later, so that it is announced. */
export function StatusLine({ tone, children, action }: StatusLineProps): JSX.Element {
  return (
    <div class={`status-line ${tone}`}>
      <Icon name={icons[tone]} />
      <div class="status-text">{children}</div>
      {action}
    </div>
  );
}

/** A live region: it is always rendered, so that new content is announced. */
export function StatusRegion({ children }: { children?: ComponentChildren }): JSX.Element {
  return (
    <div class="status-region" aria-live="polite">
      {children}
    </div>
  );
}
