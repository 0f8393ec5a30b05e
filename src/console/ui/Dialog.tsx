import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { IconButton, Button } from "./Button.tsx";
import { useSignal } from "@preact/signals";
import { TextField, bound } from "./Field.tsx";

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Open as long as it is rendered. The browser handles Escape and restores the focus. */
export function Dialog({ title, onClose, children }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    // By default the close button would get the focus.
    dialog.current?.querySelector<HTMLElement>("form input, form.question [type=submit]")?.focus();
    return () => {
      // The action that closed the dialog may have moved the focus on.
      if (before instanceof HTMLElement && document.activeElement === document.body) before.focus();
    };
  }, []);
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={titleId} onClose={onClose}>
      <div class="dialog-head">
        <h2 id={titleId}>{title}</h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </div>
      {children}
    </dialog>
  );
}

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
