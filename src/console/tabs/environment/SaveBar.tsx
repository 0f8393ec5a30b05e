import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { usePage } from "../../console.ts";
import { pluralize } from "../../data/format.ts";
import type { EnvWriteResponse } from "../../../core/api/bodies.ts";
import { Button, IconButton } from "../../ui/Button.tsx";
import { IssueList } from "../../ui/IssueList.tsx";
import { ProblemLine } from "../../ui/Problem.tsx";
import { StatusLine, StatusRegion } from "../../ui/StatusLine.tsx";
import { useEditor } from "./editor.ts";
import { StaleProcesses } from "./StaleProcesses.tsx";
import { ChangeView, Value } from "./Values.tsx";

type Then = (work: () => void | Promise<void>) => () => Promise<void>;

export function SaveBar(): JSX.Element {
  const editor = useEditor();
  const bar = useRef<HTMLElement>(null);
  const hasChanges = editor.changes.value.length > 0 && !editor.conflict.value;
  useEffect(keepFieldInSight, [editor.changes.value.length, editor.issues.value.length]);
  // The buttons disappear, so the focus moves to the bar.
  const then: Then = (work) => async () => {
    await work();
    bar.current?.focus();
  };
  return (
    <section class="save-bar" aria-label="Changes" tabIndex={-1} ref={bar}>
      <StatusRegion>
        <OutcomeView then={then} />
      </StatusRegion>
      {hasChanges && <Changes onSave={then(() => editor.save())} onDiscard={then(() => editor.discard())} />}
    </section>
  );
}

/** A growing bar would cover the focused field. */
function keepFieldInSight(): void {
  document.activeElement?.closest(".fields > .field")?.scrollIntoView({ block: "nearest" });
}

function Changes(props: { onSave: () => Promise<void>; onDiscard: () => Promise<void> }): JSX.Element {
  const { changes, issues, isSaving, read } = useEditor();
  const reason = usePage().identity.reasonAgainst("write");
  const [count, wrong] = [changes.value.length, issues.value.length];
  const title =
    wrong > 0
      ? `${pluralize(wrong, "problem")} to fix before saving`
      : `${pluralize(count, "change")} to ${read.value?.fileName ?? ""}`;
  return (
    <div class={`changes${wrong > 0 ? " wrong" : ""}`}>
      <h2>{title}</h2>
      <ul class="change-list" aria-label="Old and new values" tabIndex={0}>
        {changes.value.map((change) => (
          <ChangeView key={change.key} change={change} />
        ))}
      </ul>
      <div class="form-actions">
        <Button onClick={() => void props.onDiscard()}>Discard</Button>
        <Button variant="primary" disabled={wrong > 0} reason={reason} onClick={() => void props.onSave()}>
          {isSaving.value ? "Saving…" : "Save"}
        </Button>
      </div>
    </div>
  );
}

function OutcomeView({ then }: { then: Then }): JSX.Element | null {
  const editor = useEditor();
  const { outcome, conflict } = editor;
  const last = outcome.value;
  const dismiss = <IconButton icon="close" label="Dismiss" onClick={() => void (outcome.value = undefined)} />;
  if (last === undefined) return null;
  if ("written" in last) return <Saved written={last.written} dismiss={dismiss} undo={then(() => editor.undo())} />;
  if (conflict.value) return null;
  return (
    <ProblemLine problem={last.problem} action={dismiss}>
      <IssueList label="Refused values" issues={last.problem.issues ?? []} />
    </ProblemLine>
  );
}

interface SavedProps {
  readonly written: EnvWriteResponse;
  readonly dismiss: JSX.Element;
  readonly undo: () => Promise<void>;
}

function Saved({ written, dismiss, undo }: SavedProps): JSX.Element {
  const { isSaving } = useEditor();
  const { fileName, changedKeys, ignoredKeys, values, warnings } = written;
  const actions = (
    <span class="form-actions">
      {changedKeys.length > 0 && (
        <Button size="small" icon="undo" disabled={isSaving.value} onClick={() => void undo()}>
          Undo
        </Button>
      )}
      {dismiss}
    </span>
  );
  return (
    <StatusLine tone="success" action={actions}>
      <strong>
        {changedKeys.length === 0
          ? `Nothing was written: ${fileName} already has these values.`
          : `Saved ${pluralize(changedKeys.length, "key")} to ${fileName}.`}
      </strong>
      <ul class="change-list">
        {changedKeys.map((key) => (
          <li key={key} class="change">
            <code class="change-key">{key}</code> is now <Value of={key} value={values[key] ?? ""} />
          </li>
        ))}
      </ul>
      {ignoredKeys.length > 0 && <p>Ignored, because they may not be written: {ignoredKeys.join(", ")}.</p>}
      <IssueList label={`Warnings about ${fileName}`} issues={warnings} />
      {changedKeys.length > 0 && <StaleProcesses written={written} />}
    </StatusLine>
  );
}
