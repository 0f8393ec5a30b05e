import type { JSX, ComponentChildren } from "preact";
import type { Problem } from "../data/request-error.ts";
import { Button, Icon, type IconName } from "./Button.tsx";

/** The server's own words, with code and path for a 5xx status. @see the specification, "Errors" 2 */
export function ProblemText({ problem }: { problem: Problem }): JSX.Element {
  const { error, details, status, code, path } = problem;
  // A refusal over WebSocket has no status.
  const isOfServer = status === undefined || status >= 500;
  return (
    <div class="problem">
      <strong>{error}</strong>
      {details && <span>{details}</span>}
      {isOfServer && code && (
        <span>
          Code <code>{code}</code>
        </span>
      )}
      {isOfServer && path && (
        <span>
          Path <code>{path}</code>
        </span>
      )}
    </div>
  );
}

interface ProblemLineProps extends Partial<StatusLineProps> {
  readonly problem: Problem;
  readonly retry?: () => void;
}

export function ProblemLine({ problem, retry, tone = "error", children, ...rest }: ProblemLineProps): JSX.Element {
  const again = retry && (
    <Button size="small" onClick={retry}>
      Try again
    </Button>
  );
  return (
    <StatusLine tone={tone} action={again} {...rest}>
      <ProblemText problem={problem} />
      {children}
    </StatusLine>
  );
}

/** The failure of the request that the content needs. */
export function RequestProblem({ problem, retry }: { problem: Problem | undefined; retry: () => void }): JSX.Element {
  return <StatusRegion>{problem && <ProblemLine problem={problem} retry={retry} />}</StatusRegion>;
}

const icons = { info: "info", success: "check", warning: "warning", error: "error" } as const satisfies Record<
  string,
  IconName
>;

interface StatusLineProps {
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
