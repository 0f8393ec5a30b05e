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

/** A message in its place. Put {@link StatusRegion} around where it may come later, so that it is told. */
export function StatusLine({ tone, children, action }: StatusLineProps): JSX.Element {
  return (
    <div class={`status-line ${tone}`}>
      <Icon name={icons[tone]} />
      <div class="status-text">{children}</div>
      {action}
    </div>
  );
}

/** Always there, so that what comes into it is told to people who do not see it. */
export function StatusRegion({ children }: { children?: ComponentChildren }): JSX.Element {
  return (
    <div class="status-region" aria-live="polite">
      {children}
    </div>
  );
}
