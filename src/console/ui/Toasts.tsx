import type { JSX } from "preact";
import { usePage } from "../console.ts";
import type { Toast } from "../state/toasts.ts";
import { Button, IconButton } from "./Button.tsx";
import { Icon } from "./Icon.tsx";
import { ProblemText } from "./Problem.tsx";

/** The one region of toasts. It is always there: what comes into it is told politely. */
export function Toasts(): JSX.Element {
  const { toasts } = usePage();
  const list = toasts.list.value;
  return (
    <div class="toasts">
      <div role="status" aria-live="polite" aria-relevant="additions text" class="toast-list">
        {list.map((toast) => (
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
  const { tone, problem, count } = toast;
  return (
    <div class={`toast ${tone}`}>
      <Icon name={tone === "error" ? "error" : tone === "success" ? "check" : "info"} />
      <ProblemText problem={problem} />
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
