import type { JSX, ComponentChildren } from "preact";
import type { Problem } from "../data/request-error.ts";
import { Button, Icon, type IconName } from "./Button.tsx";
import type { Issue } from "../../core/api/issue.ts";
import { pluralize } from "../data/format.ts";

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

export interface DisplayedIssue extends Pick<Issue, "code" | "severity" | "path" | "message"> {
  readonly suggestion?: string | undefined;
  readonly at?: Issue["at"] | undefined;
}

export interface IssueListProps {
  readonly issues: readonly DisplayedIssue[];
  readonly label: string;
  readonly isPlaced?: boolean;
  readonly isCounted?: boolean;
}

/** A longer list is a wall, below which nothing else is seen. */
const MAX_OPEN = 3;

/** The first ones, or none if a verdict above counts them and the page shows them in their places. The others open on request. */
export function IssueList({ issues, label, isCounted = false, ...more }: IssueListProps): JSX.Element | null {
  const count = isCounted ? 0 : MAX_OPEN;
  const [first, rest] = [issues.slice(0, count), issues.slice(count)];
  return (
    <>
      {first.length > 0 && <Issues issues={first} label={label} {...more} />}
      {rest.length > 0 && (
        <details class="more-issues">
          <summary>{count === 0 ? "Show" : `And ${pluralize(rest.length, "more issue")}`}</summary>
          <Issues issues={rest} label={count === 0 ? label : `${label}, the rest`} {...more} />
        </details>
      )}
    </>
  );
}

function Issues({ issues, label, isPlaced = false }: IssueListProps): JSX.Element {
  return (
    <ul class="issues" aria-label={label}>
      {issues.map(({ code, severity, path, message, suggestion, at }) => (
        <li key={`${code} ${path.join(".")} ${at?.line ?? ""} ${message}`} class={severity}>
          <Icon name={severity === "error" ? "error" : "warning"} />
          <span>
            {isPlaced && <Place path={message.startsWith(`${path.at(-1)}:`) ? path.slice(0, -1) : path} at={at} />}
            {message}
            {suggestion !== undefined && <em> Did you mean {suggestion}?</em>}
            {at && !isPlaced && <span class="issue-code">line&nbsp;{at.line}</span>}
            <code class="issue-code">{code}</code>
          </span>
        </li>
      ))}
    </ul>
  );
}

function Place({ path, at }: { path: Issue["path"]; at: Issue["at"] | undefined }): JSX.Element {
  const member = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("");
  return (
    <span class="issue-place">
      <code>{member.replace(/^\./, "") || "document"}</code>
      {at && ` line ${at.line}, column ${at.column}`}
      {": "}
    </span>
  );
}
