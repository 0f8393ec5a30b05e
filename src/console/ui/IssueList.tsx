import type { JSX } from "preact";
import type { Issue } from "../../core/api/issue.ts";
import { pluralize } from "../data/format.ts";
import { Icon } from "./Button.tsx";

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

/** Of a long list, the first ones, or none if a verdict above counts them. The others open on request. */
export function IssueList({ issues, label, isCounted = false, ...more }: IssueListProps): JSX.Element | null {
  const count = isCounted && issues.length > MAX_OPEN ? 0 : MAX_OPEN;
  const [first, rest] = [issues.slice(0, count), issues.slice(count)];
  return (
    <>
      {first.length > 0 && <Issues issues={first} label={label} {...more} />}
      {rest.length > 0 && (
        <details class="more-issues">
          <summary>{count === 0 ? "Show them" : `And ${pluralize(rest.length, "more issue")}`}</summary>
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
