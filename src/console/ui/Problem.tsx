import type { JSX } from "preact";
import type { Problem } from "../data/request-error.ts";

/** A failure in the server's own words: error and details, for the 500 class code and path, too. @see the specification, "Errors" 2 */
export function ProblemText({ problem }: { problem: Problem }): JSX.Element {
  const { error, details, status = 0, code, path } = problem;
  return (
    <div class="problem">
      <strong>{error}</strong>
      {details && <span>{details}</span>}
      {status >= 500 && code && (
        <span>
          Code <code>{code}</code>
        </span>
      )}
      {status >= 500 && path && (
        <span>
          Path <code>{path}</code>
        </span>
      )}
    </div>
  );
}
