import type { ComponentChildren, JSX } from "preact";
import type { Issue } from "../../core/api/issue.ts";
import type { EntryList } from "../state/entry-list.ts";
import { Button } from "./Button.tsx";
import { Card } from "./Card.tsx";
import { IssueList } from "./IssueList.tsx";
import { StatusLine, StatusRegion } from "./StatusLine.tsx";

export interface EntryFormProps {
  readonly list: EntryList;
  /** `Target`, as the buttons say it. */
  readonly word: string;
  readonly hint?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The form of a list: it adds an entry, or edits the one that was loaded into it. */
export function EntryForm({ list, word, hint, children }: EntryFormProps): JSX.Element {
  const { edited, isDirty, issues, kind, said, canUndo } = list;
  const isEdit = edited.value !== undefined;
  const name = edited.value && kind.nameOf(edited.value);
  const message = said.value;
  const submit = (event: Event): void => {
    event.preventDefault();
    list.save();
  };
  const onKeyDown = ({ key }: KeyboardEvent): void => {
    if (key === "Escape" && isEdit) list.cancel();
  };
  const undo = (
    <Button size="small" onClick={() => list.undo()}>
      Undo
    </Button>
  );
  return (
    <Card title={isEdit ? `Edit ${name || kind.noun}` : `New ${kind.noun}`}>
      <form class="entry-form" noValidate onSubmit={submit} onKeyDown={onKeyDown}>
        {hint !== undefined && <StatusLine tone="info">{hint}</StatusLine>}
        <div class="fields">{children}</div>
        <IssueList issues={elsewhere(issues.value, kind.fields)} label="Issues of the form" />
        <StatusRegion>
          {message && (
            <StatusLine tone={message.tone} action={canUndo.value && undo}>
              {message.text}
            </StatusLine>
          )}
        </StatusRegion>
        <div class="form-actions">
          {(isEdit || isDirty.value) && (
            <Button onClick={() => list.cancel()}>{isEdit ? "Cancel Edit" : "Clear"}</Button>
          )}
          <Button type="submit" variant="primary" icon={isEdit ? "check" : "plus"}>
            {isEdit ? `Save ${word}` : `Add ${word}`}
          </Button>
        </div>
      </form>
    </Card>
  );
}

/** The issues of one field. */
export function issuesOf(issues: readonly Issue[], field: string): readonly Issue[] {
  return issues.filter(({ path }) => path[0] === field);
}

function elsewhere(issues: readonly Issue[], fields: readonly string[]): readonly Issue[] {
  return issues.filter(({ path }) => !fields.includes(String(path[0])));
}
