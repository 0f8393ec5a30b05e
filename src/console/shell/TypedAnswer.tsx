import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { usePage } from "../console.ts";
import type { OpenQuestion } from "../state/questions.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { TextField } from "../ui/TextField.tsx";

export function TypedAnswer(): JSX.Element | null {
  const question = usePage().questions.open.value;
  return question === undefined ? null : <AnswerForm key={question.id} question={question} />;
}

function AnswerForm({ question }: { question: OpenQuestion }): JSX.Element {
  const { title, about, name, verb, answer } = question;
  const typed = useSignal("");
  const isRight = typed.value.trim() === name;
  const submit = (event: Event): void => {
    event.preventDefault();
    if (isRight) answer(true);
  };
  return (
    <Dialog title={title} onClose={() => answer(false)}>
      <form class="token" onSubmit={submit}>
        <p>{about}</p>
        <TextField
          label={`Type ${name}`}
          name="name"
          value={typed.value}
          onChange={(value) => void (typed.value = value)}
        />
        <div class="form-actions">
          <Button onClick={() => answer(false)}>Cancel</Button>
          <Button variant="danger" type="submit" disabled={!isRight}>
            {verb}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
