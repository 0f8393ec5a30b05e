import type { ComponentChildren, JSX } from "preact";
import type { EntryList } from "../state/entry-list.ts";
import { Button } from "./Button.tsx";
import { FormCard } from "./FormCard.tsx";
import { FormFields } from "./FormFields.tsx";

export interface EntryFormProps {
  readonly list: EntryList;
  readonly word: string;
  readonly hint?: ComponentChildren;
}

export function EntryForm({ list, word, hint }: EntryFormProps): JSX.Element {
  const { edited, isDirty, kind, canUndo } = list;
  const isEdit = edited.value !== undefined;
  const name = edited.value && kind.nameOf(edited.value);
  const cancel = (): void => list.cancel();
  return (
    <FormCard
      form={list}
      title={isEdit ? `Edit ${name || kind.noun}` : `New ${kind.noun}`}
      hint={hint}
      submit={isEdit ? { label: `Save ${word}`, icon: "check" } : { label: `Add ${word}`, icon: "plus" }}
      cancel={(isEdit || isDirty.value) && { label: isEdit ? "Cancel Edit" : "Clear", run: cancel }}
      action={
        canUndo.value && (
          <Button size="small" onClick={() => list.undo()}>
            Undo
          </Button>
        )
      }
      {...(isEdit && { onEscape: cancel })}
    >
      <FormFields form={list} fields={kind.fields} />
    </FormCard>
  );
}
