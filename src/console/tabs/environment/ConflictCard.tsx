import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { EnvReadResponse } from "../../../core/api/bodies.ts";
import { Button } from "../../ui/Button.tsx";
import { Card } from "../../ui/Card.tsx";
import { ProblemLine } from "../../ui/Problem.tsx";
import { findConflicts, type KeyConflict } from "./changes.ts";
import { useEditor } from "./editor.ts";
import { Value } from "./Comparison.tsx";

export function ConflictCard(): JSX.Element | null {
  const { read, conflict } = useEditor();
  if (!read.value || !conflict.value) return null;
  return <Conflict before={read.value} now={conflict.value} />;
}

function Conflict({ before, now }: { before: EnvReadResponse; now: EnvReadResponse }): JSX.Element {
  const editor = useEditor();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    place.current?.focus({ preventScroll: true });
    place.current?.scrollIntoView({ block: "start" });
  }, []);
  const last = editor.outcome.value;
  const contests = findConflicts(before, now, editor.edits.value);
  return (
    <div ref={place} tabIndex={-1} class="conflict">
      <Card title={`${now.fileName} was changed meanwhile`}>
        {last && "problem" in last && <ProblemLine tone="warning" problem={last.problem} />}
        <p>Nothing was written. Compare the file as it is now with your edits.</p>
        <dl class="contests" aria-label="The file and the edits">
          {contests.map((contest) => (
            <KeyConflictView key={contest.key} contest={contest} />
          ))}
        </dl>
        {contests.every(({ before: was, now: is }) => was === is) && (
          <p>No key that is shown here differs: a comment or another key was changed.</p>
        )}
        <div class="form-actions">
          <Button onClick={andFocusSaveBar(() => editor.discard())}>Discard edits, take the file</Button>
          <Button variant="primary" onClick={andFocusSaveBar(() => editor.reapply())}>
            Keep edits on top of the file
          </Button>
        </div>
      </Card>
    </div>
  );
}

/** Moves the focus to the save bar, because the card disappears with its buttons. */
function andFocusSaveBar(decide: () => void): () => void {
  return () => {
    decide();
    document.querySelector<HTMLElement>(".save-bar")?.focus();
  };
}

function KeyConflictView({ contest: { key, before, now, edited } }: { contest: KeyConflict }): JSX.Element {
  return (
    <div>
      <dt>
        <code>{key}</code>
      </dt>
      <dd>
        <span class="side">File, when read</span> <Value of={key} value={before} />
      </dd>
      <dd class={now === before ? "" : "moved"}>
        <span class="side">File, now</span> <Value of={key} value={now} />
      </dd>
      <dd>
        <span class="side">Edited to</span>{" "}
        {edited === undefined ? <em>not edited</em> : <Value of={key} value={edited} />}
      </dd>
    </div>
  );
}
