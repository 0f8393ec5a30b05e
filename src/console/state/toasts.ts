import { signal, type ReadonlySignal } from "@preact/signals";
import { problemOf, type Problem } from "../data/request-error.ts";

const INFO_MS = 5_000;

export interface Toast {
  readonly id: number;
  /** Equal ones are one toast with a count. */
  readonly key: string;
  readonly tone: "info" | "success" | "error";
  readonly problem: Problem;
  readonly count: number;
}

/** Messages that block nobody. Information hides by itself, errors stay. @see the specification, "Errors" 2 */
export interface Toasts {
  readonly list: ReadonlySignal<readonly Toast[]>;
  info(text: string): void;
  success(text: string): void;
  /** @param topic errors of a topic take each other's place, and go with {@link resolve} */
  error(error: unknown, topic?: string): void;
  /** The errors of a topic are over. */
  resolve(topic: string): void;
  dismiss(id: number): void;
  dismissAll(): void;
}

export function createToasts(later: (run: () => void, ms: number) => void): Toasts {
  const list = signal<readonly Toast[]>([]);
  let ids = 0;
  const dismiss = (id: number): void => {
    list.value = list.value.filter((toast) => toast.id !== id);
  };
  const add = (tone: Toast["tone"], problem: Problem, topic?: string): void => {
    const key = topic ?? `${tone} ${JSON.stringify(problem)}`;
    const same = list.value.find((toast) => toast.key === key);
    const toast = { id: ++ids, key, tone, problem, count: (same?.count ?? 0) + 1 };
    list.value = [...list.value.filter((other) => other !== same), toast];
    if (tone !== "error") later(() => dismiss(toast.id), INFO_MS);
  };
  return {
    list,
    info: (text) => add("info", { error: text }),
    success: (text) => add("success", { error: text }),
    error: (error, topic) => add("error", typeof error === "string" ? { error } : problemOf(error), topic),
    resolve(topic) {
      if (list.value.some(({ key }) => key === topic)) list.value = list.value.filter(({ key }) => key !== topic);
    },
    dismiss,
    dismissAll: () => void (list.value = []),
  };
}
