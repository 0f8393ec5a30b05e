import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { Button } from "./Button.tsx";
import { Dialog } from "./Dialog.tsx";
import { TextField } from "./TextField.tsx";
import { bound } from "./bound.ts";

interface FormDialogProps {
  readonly title: string;
  readonly verb: string;
  readonly isDangerous?: boolean;
  readonly isReady?: boolean;
  /** Only to be agreed or cancelled. */
  readonly isQuestion?: boolean;
  /** The user types this name to confirm, because a click is too easily wrong. */
  readonly typedName?: string | undefined;
  readonly footer?: ComponentChildren;
  readonly onClose: () => void;
  readonly onSubmit: () => void;
  readonly children?: ComponentChildren;
}

export function FormDialog(props: FormDialogProps): JSX.Element {
  const { title, verb, isDangerous = false, isReady = true, typedName, footer, onClose, onSubmit, children } = props;
  const { isQuestion = false } = props;
  const typed = useSignal("");
  const canSubmit = isReady && (typedName === undefined || typed.value.trim() === typedName);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (canSubmit) onSubmit();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form class={isQuestion ? "token question" : "token"} onSubmit={submit}>
        {children}
        {typedName !== undefined && <TextField label={`Type ${typedName}`} {...bound(typed)} />}
        {footer}
        <div class="form-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button variant={isDangerous ? "danger" : "primary"} type="submit" disabled={!canSubmit}>
            {verb}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
