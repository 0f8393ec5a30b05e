import type { JSX } from "preact";
import { usePage } from "../console.ts";
import { FormDialog } from "../ui/FormDialog.tsx";

export function NamePromptDialog(): JSX.Element | null {
  const question = usePage().namePrompts.open.value;
  if (question === undefined) return null;
  const { id, title, about, name, verb, answer } = question;
  return (
    <FormDialog
      key={id}
      title={title}
      verb={verb}
      isDangerous
      typedName={name}
      onClose={() => answer(false)}
      onSubmit={() => answer(true)}
    >
      <p>{about}</p>
    </FormDialog>
  );
}
