import type { JSX } from "preact";
import { usePage } from "../console.ts";
import type { Toast } from "../state/toasts.ts";
import { Button, IconButton, Icon } from "./Button.tsx";
import { ProblemText } from "./Problem.tsx";

const MAX_VISIBLE = 3;

export function Toasts(): JSX.Element {
  const { toasts } = usePage();
  const list = toasts.list.value;
  const visible = list.slice(-MAX_VISIBLE);
  return (
    <div class="toasts">
      <div role="status" aria-live="polite" aria-relevant="additions text" class="toast-list">
        {visible.map((toast) => (
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
        {subjects.length > 0 && <p>Not done: {joinNames(subjects.map(({ text }) => text))}.</p>}
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

const MAX_NAMES = 3;

function joinNames(texts: readonly string[]): string {
  const named = texts.slice(0, MAX_NAMES).join(", ");
  return texts.length <= MAX_NAMES ? named : `${named} and ${texts.length - MAX_NAMES} more`;
}
