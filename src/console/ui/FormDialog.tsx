import type { ComponentChildren, JSX } from "preact";
import { Button } from "./Button.tsx";
import { Dialog } from "./Dialog.tsx";

interface FormDialogProps {
  readonly title: string;
  readonly verb: string;
  readonly isDangerous?: boolean;
  readonly isReady: boolean;
  readonly onClose: () => void;
  readonly onSubmit: () => void;
  readonly children: ComponentChildren;
}

export function FormDialog(props: FormDialogProps): JSX.Element {
  const { title, verb, isDangerous = false, isReady, onClose, onSubmit, children } = props;
  const submit = (event: Event): void => {
    event.preventDefault();
    if (isReady) onSubmit();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="token" onSubmit={submit}>
        {children}
        <div class="form-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button variant={isDangerous ? "danger" : "primary"} type="submit" disabled={!isReady}>
            {verb}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
