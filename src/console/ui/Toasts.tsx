import type { JSX } from "preact";
import { usePage } from "../console.ts";
import type { Toast } from "../state/toasts.ts";
import { Button, IconButton } from "./Button.tsx";
import { Icon } from "./Icon.tsx";
import { ProblemText } from "./Problem.tsx";

const SHOWN = 3;

export function Toasts(): JSX.Element {
  const { toasts } = usePage();
  const list = toasts.list.value;
  const shown = list.slice(-SHOWN);
  return (
    <div class="toasts">
      <div role="status" aria-live="polite" aria-relevant="additions text" class="toast-list">
        {shown.map((toast) => (
          <ToastView key={toast.key} toast={toast} onDismiss={() => toasts.dismiss(toast.id)} />
        ))}
      </div>
      {list.length > 1 && (
        <Button size="small" onClick={() => toasts.dismissAll()}>
          Dismiss all {list.length}
        </Button>
      )}
    </div>
  );
}

function ToastView({ toast, onDismiss }: { toast: Toast; onDismiss: () => void }): JSX.Element {
  const { tone, problem, count, subjects } = toast;
  return (
    <div class={`toast ${tone}`}>
      <Icon name={tone === "error" ? "error" : tone === "success" ? "check" : "info"} />
      <div class="toast-text">
        {subjects.length > 0 && <p>Not done: {listed(subjects.map(({ text }) => text))}.</p>}
        <ProblemText problem={problem} />
      </div>
      {count > 1 && (
        <span class="count">
          <span aria-hidden="true">×{count}</span>
          <span class="hidden">{count} times</span>
        </span>
      )}
      <IconButton icon="close" label="Dismiss" onClick={onDismiss} />
    </div>
  );
}

const NAMED = 3;

function listed(texts: readonly string[]): string {
  const named = texts.slice(0, NAMED).join(", ");
  return texts.length <= NAMED ? named : `${named} and ${texts.length - NAMED} more`;
}
