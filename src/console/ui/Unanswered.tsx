import type { JSX } from "preact";
import type { Problem } from "../data/request-error.ts";
import { Button } from "./Button.tsx";
import { ProblemText } from "./Problem.tsx";
import { StatusLine, StatusRegion } from "./StatusLine.tsx";

/** Why a part of the tab has no answer, where it would stand, and a way to ask again. */
export function Unanswered({ problem, retry }: { problem: Problem | undefined; retry: () => void }): JSX.Element {
  return (
    <StatusRegion>
      {problem && (
        <StatusLine
          tone="error"
          action={
            <Button size="small" onClick={retry}>
              Try again
            </Button>
          }
        >
          <ProblemText problem={problem} />
        </StatusLine>
      )}
    </StatusRegion>
  );
}
