import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { usePage } from "../console.ts";
import type { OpenQuestion } from "../state/questions.ts";
import { FormDialog } from "../ui/FormDialog.tsx";
import { TextField } from "../ui/TextField.tsx";

export function TypedAnswer(): JSX.Element | null {
  const question = usePage().questions.open.value;
  return question === undefined ? null : <AnswerForm key={question.id} question={question} />;
}

function AnswerForm({ question }: { question: OpenQuestion }): JSX.Element {
  const { title, about, name, verb, answer } = question;
  const typed = useSignal("");
  return (
    <FormDialog
      title={title}
      verb={verb}
      isDangerous
      isReady={typed.value.trim() === name}
      onClose={() => answer(false)}
      onSubmit={() => answer(true)}
    >
      <p>{about}</p>
      <TextField
        label={`Type ${name}`}
        name="name"
        value={typed.value}
        onChange={(value) => void (typed.value = value)}
      />
    </FormDialog>
  );
}
