import type { JSX } from "preact";
import type { Problem } from "../data/request-error.ts";

/** A failure in the server's own words: error and details, for the 500 class code and path, too. @see the specification, "Errors" 2 */
export function ProblemText({ problem }: { problem: Problem }): JSX.Element {
  const { error, details, status, code, path } = problem;
  // What came over the WebSocket has no status.
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
